"""Tests, a folder for each room of `myia/`."""
