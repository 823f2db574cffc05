"""What users hand over: tables and files, checked once, as a question about blocks of columns."""
