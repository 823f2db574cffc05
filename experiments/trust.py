"""Put the measured tables into docs/trust.md: python experiments/trust.py [--check]."""

import csv
import re
import sys
from pathlib import Path

import interval
import level
import power
import series
import verdict

PAGE = Path(__file__).parent.parent / "docs" / "trust.md"


def filled(page: str) -> str:
    """The page with its tables made anew from the results."""
    tables = {
        "level": level.table,
        "interval": interval.table,
        "series": series.table,
        "verdict": verdict.table,
        "power": lambda: power.table(list(csv.DictReader(power.RESULTS.open()))),
    }
    return re.sub(
        r"<!-- table (\w+) -->\n.*?<!-- end -->",
        lambda match: f"<!-- table {match[1]} -->\n{tables[match[1]]()}\n<!-- end -->",
        page,
        flags=re.DOTALL,
    )


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    old = PAGE.read_text(encoding="utf-8")
    new = filled(old)
    if "--check" in arguments:
        return int(new != old)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
