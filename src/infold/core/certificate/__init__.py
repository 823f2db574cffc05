"""A lower confidence bound on MI: critics fitted on some rows, and judged on others."""
