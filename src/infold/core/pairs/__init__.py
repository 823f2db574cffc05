"""All pairs of many columns: statistics, their null laws, and p-values; arrays in, arrays out."""
