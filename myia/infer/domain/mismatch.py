"""The exception that a merge raises for two values that have no common form."""


class Mismatch(Exception):
    """Two values that have no common form; with a description of both and a help text."""

    def __init__(self, a: str, b: str, help_text: str | None = None):
        super().__init__(f"{a} against {b}")
        self.a, self.b = a, b
        self.help = {} if help_text is None else {"help_text": help_text}
