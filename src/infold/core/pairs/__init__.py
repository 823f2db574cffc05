"""All pairs of many columns: statistics, their null distributions, and p-values; arrays in, arrays out."""
