"""One self-contained HTML page about an estimate: verdict, interval, test, pictures, columns, how to get it again."""

from .make import Report, make_report, write_report

__all__ = ["Report", "make_report", "write_report"]
