"""Processes with a number of devices of a CPU, which must be known before JAX starts."""

import os
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def start(script: str, *args: object, devices: int = 1) -> subprocess.Popen[str]:
    """A script of this folder."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "examples")])
    flags = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}"}
    return subprocess.Popen(
        [sys.executable, HERE / script, *map(str, args)],
        env={**os.environ, **flags, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
