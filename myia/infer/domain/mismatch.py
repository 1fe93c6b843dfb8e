"""What a join raises of two values that have no common form."""


class Mismatch(Exception):
    """Two values that have no common form; carries a description of both, and maybe a way out."""

    def __init__(self, a: str, b: str, way_out: str | None = None):
        super().__init__(f"{a} against {b}")
        self.a, self.b = a, b
        self.help = {} if way_out is None else {"help_text": way_out}
