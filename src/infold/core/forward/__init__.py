"""Forward selection: functions of columns, what selected columns leave of them, tests by permutations, the search."""
