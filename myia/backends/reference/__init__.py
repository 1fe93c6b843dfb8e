"""The reference backend: `interpreter.py` evaluates typed IR op by op, `rev` included."""
