"""Slow definitions of what kernels compute, straight from the papers; they import nothing of infold."""
