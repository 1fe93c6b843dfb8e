"""The error of a file that is not what it should be."""

from __future__ import annotations


class ArtifactError(Exception):
    """A file of compiled programs that cannot be loaded, or a program that cannot be saved."""
