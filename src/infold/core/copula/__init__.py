"""What `auto` is made of; tables have samples as rows, (n, p).

`scores` turns columns into normal scores, `gaussian` is the MI that their correlations explain, and tests it; `screen`
finds the dependent columns, `coordinates` learns what two sides share, `neighbors` runs KSG. `crossfit` has free looks,
`blocks` and `directions` sums over parts; `looks` compares them, and `choice` answers.
"""
