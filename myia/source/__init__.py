"""Where things come from: source files, spans, diagnostics and their renderer."""
