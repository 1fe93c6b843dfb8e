"""What users call. Importing it registers what these names mean in compiled code."""

from myia.api import jax_rules

__all__ = ["jax_rules"]
