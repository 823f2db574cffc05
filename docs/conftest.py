"""Keep pytest to the pages: settings and generated files of the site hold no examples of ours."""

collect_ignore = ["conf.py", "_build", "gallery", "generated"]
