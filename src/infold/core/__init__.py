"""Arrays in, arrays out: every loop over samples lives here."""
