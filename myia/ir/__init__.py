"""The intermediate representation: one data structure, two vocabularies (`py.*` and typed)."""
