"""MI of all kinds of infold.datasets by Monte Carlo with exact densities, beside the stored values.

    python experiments/truths.py                       every kind; a star where stored and found differ by 4 errors
    python experiments/truths.py --rows 4000000 NAME   some kinds, with more rows
    python experiments/truths.py --page                only write the list of kinds into docs/kinds.md

Lines can be pasted into MONTE_CARLO of src/infold/datasets/kinds.py.
"""

import argparse
import math
import re
from pathlib import Path

import numpy as np

from infold.datasets import describe_kind, kind_information, list_kinds

PAGE = Path(__file__).parent.parent / "docs" / "kinds.md"
BATCH = 50_000


def monte_carlo(name: str, rows: int, error: float) -> tuple[float, float]:
    """Mean information and its standard error, over so many rows, or fewer if it is as precise as asked for."""
    sums = np.zeros(3)
    for seed in range(rows // BATCH):
        values = kind_information(name, BATCH, seed)
        sums += [values.size, values.sum(), (values**2).sum()]
        mean = sums[1] / sums[0]
        found = math.sqrt(max(sums[2] / sums[0] - mean**2, 0.0) / sums[0])
        if seed >= 9 and found < error:
            break
    return mean, found


def write_page() -> None:
    """List all kinds, family by family, in the page."""
    lines = ["| family | kind | columns | how it is made | MI | by |", "|---|---|--:|---|--:|---|"]
    for name in list_kinds():
        kind = describe_kind(name)
        error = f" ± {kind.mi_error:.4f}" if kind.mi_error else ""
        about = kind.about.replace("|", "\\|")
        columns = f"{kind.n_x} + {kind.n_y}"
        lines.append(f"| {kind.family} | {name} | {columns} | {about} | {kind.mi:.4f} | {kind.source}{error} |")
    filled = "\n".join(lines)
    page = re.sub(
        r"(<!-- kinds -->\n).*?(<!-- end -->)", lambda m: f"{m[1]}\n{filled}\n\n{m[2]}", PAGE.read_text(), flags=re.S
    )
    PAGE.write_text(page)


def main() -> None:
    """Print a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--error", type=float, default=0.001)
    parser.add_argument("--missing", action="store_true", help="only kinds without a closed form")
    parser.add_argument("--page", action="store_true", help="only write the list of kinds")
    chosen = parser.parse_args()
    if chosen.page:
        write_page()
        return
    for name in chosen.names or list_kinds():
        kind = describe_kind(name)
        if chosen.missing and kind.source == "closed form":
            continue
        value, error = monte_carlo(name, chosen.rows, chosen.error)
        far = abs(value - kind.mi) > 4 * math.hypot(error, kind.mi_error) + 1e-9
        print(
            f'    "{name}": ({value:.5f}, {error:.5f}),  # stored: {kind.mi:.5f}, {kind.source}{" *" if far else ""}',
            flush=True,
        )


if __name__ == "__main__":
    main()
