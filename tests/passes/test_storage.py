"""Reversed loops as ordinary ones: the numbers stay, the memory is what was planned."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from myia.ir.verifier import verify
from myia.passes.storage import Limits, lower_and_plan

sys.path.insert(0, str(Path(__file__).parent.parent / "transforms"))
