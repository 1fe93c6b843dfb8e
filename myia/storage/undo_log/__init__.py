"""undo_log."""
