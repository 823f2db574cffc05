"""Is there any dependence, how sure is the number, which columns carry it, and can it be trusted?"""
