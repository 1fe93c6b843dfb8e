"""Derivatives: typed IR -> typed IR. `expand_derivatives` is the way in."""
