"""Where tiles of the matrix go: into memory, or into a folder, where a killed run goes on."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from infold.data.output import write_output

MANIFEST, MATRICES = "network.json", ("mi.npy", "pvalues.npy")


def place(tile: Any, values: np.ndarray, shape: tuple[int, int], mi: np.ndarray, pvalues: np.ndarray) -> None:
    """Write a tile into both matrices, and mirrored if nodes of rows and columns are the same."""
    from infold.core.pairs.work import LEAST_PVALUE

    square = tile.left < shape[0]
    rows = slice(tile.top, tile.bottom)
    columns = slice(tile.left, tile.right) if square else slice(tile.left - shape[0], tile.right - shape[0])
    for matrix, layer in ((mi, values[0]), (pvalues, np.maximum(np.exp(values[1]), LEAST_PVALUE))):
        asked = ~np.isnan(values[1])
        matrix[rows, columns] = np.where(asked, layer, matrix[rows, columns])
        if square:
            matrix[columns, rows] = np.where(asked.T, layer.T, matrix[columns, rows])


class Memory:
    """Matrices in memory."""

    is_complete = False

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape
        self._matrices = np.full(shape, np.nan), np.full(shape, np.nan)

    def begin(self, settings: dict[str, Any], is_fixed: bool) -> int:
        """Return the seed."""
        return int(settings["random_state"])

    def has(self, tile: Any) -> bool:
        """Return False: nothing is there yet."""
        return False

    def put(self, tile: Any, values: np.ndarray) -> None:
        """Write a tile into the matrices."""
        place(tile, values, self.shape, *self._matrices)

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Return MI and p-values."""
        return self._matrices


class Folder:
    """A file for each tile, whole or not at all; when all are there, two matrices, which are read as needed."""

    def __init__(self, folder: Path, shape: tuple[int, int]) -> None:
        self.folder, self.shape, self.tiles = folder, shape, []  # type: ignore[var-annotated]

    @property
    def is_complete(self) -> bool:
        """Whether the matrices are there."""
        return all((self.folder / name).exists() for name in MATRICES)

    def begin(self, settings: dict[str, Any], is_fixed: bool) -> int:
        """Return the seed, that of an earlier run unless this one `is_fixed`; refuse a folder with another network."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise ValueError(f"folder={str(self.folder)!r} is not a directory; name another place.") from None
        manifest = self.folder / MANIFEST
        if manifest.exists():
            known = json.loads(manifest.read_text())
            if not is_fixed:
                settings = {**settings, "random_state": known.get("random_state")}
            other = [key for key in settings if known.get(key) != settings[key]]
            if other:
                raise ValueError(
                    f"folder={str(self.folder)!r} has a network with other {', '.join(other)}; name another folder, or "
                    f"delete this one."
                )
        elif any(self.folder.iterdir()):
            raise ValueError(f"folder={str(self.folder)!r} has other files in it; name an empty or a new folder.")
        else:
            write_output(manifest, json.dumps(settings, indent=2))
        return int(settings["random_state"])

    def _path(self, tile: Any) -> Path:
        return self.folder / f"tile-{tile.top:06}-{tile.left:06}.npy"

    def has(self, tile: Any) -> bool:
        """Return whether a tile is there."""
        self.tiles.append(tile)
        return self._path(tile).exists()

    def put(self, tile: Any, values: np.ndarray) -> None:
        """Write a tile to its file."""
        buffer = io.BytesIO()
        np.save(buffer, values)
        write_output(self._path(tile), buffer.getvalue())

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Return MI and p-values, mapped from disk; tiles are joined, and deleted, once all are there."""
        if not self.is_complete:
            parts = [self.folder / f".{name}.part" for name in MATRICES]
            mi, pvalues = (np.lib.format.open_memmap(part, "w+", np.float64, self.shape) for part in parts)
            mi[:], pvalues[:] = np.nan, np.nan
            for tile in self.tiles:
                place(tile, np.load(self._path(tile)), self.shape, mi, pvalues)
            for matrix in (mi, pvalues):
                matrix.flush()
            for part, name in zip(parts, MATRICES, strict=True):
                part.replace(self.folder / name)
        for tile in self.folder.glob("tile-*.npy"):
            tile.unlink(missing_ok=True)  # another process may join the same tiles
        mi, pvalues = (np.load(self.folder / name, mmap_mode="r") for name in MATRICES)
        return mi, pvalues
