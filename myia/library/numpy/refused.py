"""Functions of NumPy that are refused, and why.

`REASONS` is the table that `docs/numpy.md` shows. Functions that are in no table are refused too,
without a reason.
"""

from __future__ import annotations

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract
from myia.infer.registry import function
from myia.infer.unsupported import UnsupportedFunction

FILES = "reads or writes files or buffers"
TEXT = "makes text of arrays"
DATES = "works on dates or strings"
SETTINGS = "reads or changes NumPy's settings"
MEMORY = "is about memory, which compiled arrays do not show"
DTYPE_BY_VALUES = "its result's dtype depends on values"
SHAPE_BY_VALUES = "its result's shape depends on values"
DEPRECATED = "is a deprecated name"
OBJECTS = "makes an object that is no array"

# These compute with numbers: the others do not count in the share of what is supported.
NUMERIC_REASONS = {DTYPE_BY_VALUES, SHAPE_BY_VALUES}

HELP = {
    FILES: "do it outside and pass the array as an argument, or on the host: `myia.host`",
    TEXT: "use `print` or an f-string",
    DATES: "convert them to numbers outside",
    SETTINGS: "do it outside of the compiled function",
    MEMORY: "leave it out: memory is planned by the compiler",
    DTYPE_BY_VALUES: "choose the dtype with `.astype`, `.real` or `np.result_type`",
    SHAPE_BY_VALUES: "compute it outside, or use a mask of the same shape",
    OBJECTS: "use arrays",
    DEPRECATED: "use `np.vstack`",
}

REASONS: dict[str, str] = {
    name: reason
    for reason, names in {
        FILES: """frombuffer fromfile fromiter fromregex fromstring genfromtxt load loadtxt save
            savetxt savez savez_compressed from_dlpack""",
        TEXT: """array2string array_repr array_str format_float_positional format_float_scientific
            info""",
        DATES: """busday_count busday_offset datetime_as_string datetime_data is_busday isnat""",
        SETTINGS: """get_include get_printoptions getbufsize geterr geterrcall printoptions
            set_printoptions setbufsize seterr seterrcall show_config show_runtime test""",
        MEMORY: """asfortranarray isfortran may_share_memory nested_iters require shares_memory""",
        DTYPE_BY_VALUES: "min_scalar_type real_if_close",
        SHAPE_BY_VALUES: "mask_indices",
        DEPRECATED: "row_stack",
        OBJECTS: "asmatrix bmat frompyfunc",
    }.items()
    for name in names.split()
}


def _refuse(name: str, reason: str) -> None:
    def handler(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        ctx.fail(
            UnsupportedFunction,
            what=f"`numpy.{name}`",
            label_text=f"it {reason}" if not reason.startswith("its") else reason,
            help_text=HELP[reason],
        )

    function(getattr(np, name))(handler)


for _name, _reason in REASONS.items():
    if _reason != DEPRECATED:  # NumPy warns when such a name is read
        _refuse(_name, _reason)
