"""Objects of other libraries as arguments, with the real libraries."""
