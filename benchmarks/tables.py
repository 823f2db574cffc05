"""Rows of measurements → a markdown table and a picture."""

from pathlib import Path

STYLES = {
    "infold": {"color": "#c0392b", "linewidth": 2.5, "marker": "o"},
    "npeet_plus": {"color": "#2c3e50", "marker": "s"},
    "infomeasure": {"color": "#7f8c8d", "marker": "^"},
    "ennemi": {"color": "#2980b9", "marker": "v"},
    "sklearn": {"color": "#27ae60", "marker": "d"},
}


def duration(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def versions(rows: list[dict]) -> str:
    return ", ".join(sorted({f"{row['library']} {row['version']}" for row in rows if "version" in row}))


def fastest_peer(rows: list[dict], columns: str, n: int) -> dict | None:
    cell = [r for r in rows if (r["columns"], r["samples"]) == (columns, n) and r["library"] != "infold"]
    return min((r for r in cell if "seconds" in r), key=lambda r: r["seconds"], default=None)


def write_ksg(folder: Path, rows: list[dict], machine: str) -> None:
    """Write ksg.md and ksg.png."""
    own = {(r["columns"], r["samples"]): r for r in rows if r["library"] == "infold"}
    columns = list(dict.fromkeys(c for c, _ in own))
    samples = list(dict.fromkeys(n for _, n in own))
    lines = [
        "# KSG: infold beside its peers",
        "",
        f"Median of several runs, in turns; k = 3; Gaussian data, pairs of columns with correlation 0.6. {machine}.",
        f"Versions: {versions(rows)}.",
        "",
        "How many times as fast as the fastest peer (which one; its time → infold's):",
        "",
        "| n | " + " | ".join(columns) + " |",
        "|---|" + "---|" * len(columns),
    ]
    for n in samples:
        cells = []
        for c in columns:
            peer, mine = fastest_peer(rows, c, n), own[c, n]
            if peer is None:
                cells.append(f"no peer in time → {duration(mine['seconds'])}")
            else:
                times = f"{peer['library']} {duration(peer['seconds'])} → {duration(mine['seconds'])}"
                cells.append(f"**{peer['seconds'] / mine['seconds']:.1f} ×** ({times})")
        lines.append(f"| {n:,} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "All libraries. Memory is what a run adds to the process at its peak. The difference is that of the two "
        "estimates, infold's with the same scaling of columns (npeet_plus and infomeasure: none).",
        "",
        "| columns | n | library | median | times infold | memory | estimate | difference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        head = f"| {row['columns']} | {row['samples']:,} | {row['library']} "
        if "seconds" not in row:
            lines.append(head + "| too long | | | | |")
            continue
        times = row["seconds"] / own[row["columns"], row["samples"]]["seconds"]
        difference = f"{row['difference']:.1g}" if "difference" in row else ""
        lines.append(
            head + f"| {duration(row['seconds'])} | {times:.1f} | {row['extra_mb']:.1f} MB "
            f"| {row['estimate']:.4f} | {difference} |"
        )
    lines += ["", "![time against n](ksg.png)", ""]
    (folder / "ksg.md").write_text("\n".join(lines))
    draw_ksg(folder / "ksg.png", rows, columns)


def draw_ksg(path: Path, rows: list[dict], columns: list[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(columns), figsize=(3.1 * len(columns), 3.4), sharey=True, squeeze=False)
    for axis, c in zip(axes[0], columns, strict=True):
        for library, style in STYLES.items():
            line = [
                (r["samples"], r["seconds"])
                for r in rows
                if (r["columns"], r["library"]) == (c, library) and "seconds" in r
            ]
            if line:
                axis.loglog(*zip(*line, strict=True), label=library, **style)
        axis.set_title(f"{c} columns")
        axis.set_xlabel("samples")
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("seconds, median")
    axes[0][0].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def write_gksg(folder: Path, rows: list[dict], machine: str) -> None:
    """Write gksg.md and gksg.png."""
    lines = [
        "# G-KSG: its time beside the fastest peer's plain KSG on the same data",
        "",
        f"Median of several runs, in turns. {machine}.",
        "",
        "| data | columns | n | ratio | at most | G-KSG | peer's KSG | memory | G-KSG estimate | KSG estimate |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        head = f"| {row['data']} | {row['columns']} | {row['samples']:,} "
        if "ratio" not in row:
            lines.append(head + f"| too long | {row['at_most']:g} | | | | | |")
            continue
        lines.append(
            head + f"| **{row['ratio']:.2f}** | {row['at_most']:g} | {duration(row['gksg_seconds'])} "
            f"| {duration(row['peer_seconds'])} | {row['gksg_extra_mb']:.0f} MB | {row['gksg_estimate']:.3f} "
            f"| {row['peer_estimate']:.3f} |"
        )
    lines += ["", "![ratios](gksg.png)", ""]
    (folder / "gksg.md").write_text("\n".join(lines))
    draw_gksg(folder / "gksg.png", [row for row in rows if "ratio" in row])


def draw_gksg(path: Path, rows: list[dict]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 0.5 * len(rows) + 1.2))
    places = range(len(rows))
    axis.barh(places, [row["ratio"] for row in rows], color="#c0392b", label="measured")
    axis.plot([row["at_most"] for row in rows], places, "k|", markersize=16, label="at most")
    axis.set_yticks(places, [f"{row['data']} {row['columns']}, n = {row['samples']:,}" for row in rows])
    axis.invert_yaxis()
    axis.set_xscale("log")
    axis.set_xlabel("time of G-KSG / time of the peer's KSG")
    axis.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
