"""What `auto` is made of; tables have samples as rows, (n, p).

`scores` turns columns into normal scores, `gaussian` is the MI that their correlations explain, `screen` finds the
dependent columns, `views` are tables on which KSG sees more, and `surrogates` say how much of it is beyond Gaussian.
"""
