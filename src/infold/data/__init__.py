"""What users hand over, and the files that they get back."""
