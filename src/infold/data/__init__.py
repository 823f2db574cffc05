"""User input: tables and files, checked once and turned into a question about blocks of columns."""
