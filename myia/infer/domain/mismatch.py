"""The exception that a merge raises for two values without a common structure."""

ONE_DTYPE = "give the array one dtype on every path, with `.astype` or `dtype=`"


class Mismatch(Exception):
    """Two values without a common structure; with a description of both and a help text."""

    def __init__(self, a: str, b: str, help_text: str | None = None):
        super().__init__(f"{a} against {b}")
        self.a, self.b = a, b
        self.help = {} if help_text is None else {"help_text": help_text}
