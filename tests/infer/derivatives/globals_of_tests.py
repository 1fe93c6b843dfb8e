"""Arrays that tests of derivatives read as globals."""

import numpy as np

CAP = np.arange(1.0, 5.0)
