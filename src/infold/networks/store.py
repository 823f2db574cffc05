"""Where tiles of the matrix go: into memory, or into a folder, where a killed run goes on."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from infold.data.output import write_output

MANIFEST, MATRICES = "network.json", ("mi.npy", "pvalues.npy")


class Piece(NamedTuple):
    """Where a part of a tile goes in the matrices, MI and p-values of its pairs, and which of these were asked for."""

    rows: slice
    columns: slice
    layers: np.ndarray  # (2, rows, columns)
    asked: np.ndarray

    def put(self, matrices: Iterable[np.ndarray], start: int = 0) -> None:
        """Write the values into matrices whose first row is `start`."""
        rows = slice(self.rows.start - start, self.rows.stop - start)
        for matrix, layer in zip(matrices, self.layers, strict=True):
            matrix[rows, self.columns][self.asked] = layer[self.asked]


def pieces(tile: Any, values: np.ndarray, shape: tuple[int, int]) -> Iterator[Piece]:
    """Yield a tile, and once more mirrored if nodes of rows and columns are the same."""
    from infold.core.pairs.work import LEAST_PVALUE, LOG_P, MI

    layers = np.array([values[MI], np.maximum(np.exp(values[LOG_P]), LEAST_PVALUE)])
    rows, asked, first = (
        slice(tile.top, tile.bottom),
        ~np.isnan(values[LOG_P]),
        shape[0] if tile.left >= shape[0] else 0,
    )
    columns = slice(tile.left - first, tile.right - first)
    yield Piece(rows, columns, layers, asked)
    if not first:
        yield Piece(columns, rows, layers.transpose(0, 2, 1), asked.T)


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
        for piece in pieces(tile, values, self.shape):
            piece.put(self._matrices)

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
            self._join()
        for tile in self.folder.glob("tile-*.npy"):
            tile.unlink(missing_ok=True)  # another process may join the same tiles
        mi, pvalues = (np.load(self.folder / name, mmap_mode="r") for name in MATRICES)
        return mi, pvalues

    def _join(self) -> None:
        """Write the matrices from all tiles, a strip of rows at a time: neither has to fit into memory."""
        own: dict[tuple[int, int], list[Any]] = {}
        for tile in self.tiles:
            own.setdefault((tile.top, tile.bottom), []).append(tile)
            if tile.left < self.shape[0] and tile.left != tile.top:
                own.setdefault((tile.left, tile.right), []).append(tile)
        parts = [self.folder / f".{name}.part" for name in MATRICES]
        head = {"descr": "<f8", "fortran_order": False, "shape": self.shape}
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(part.open("wb")) for part in parts]
            for file in files:
                np.lib.format.write_array_header_1_0(file, head)
            for (top, bottom), tiles in sorted(own.items()):
                strips = np.full((2, bottom - top, self.shape[1]), np.nan)
                for tile in tiles:
                    for piece in pieces(tile, np.load(self._path(tile)), self.shape):
                        if piece.rows.start == top:
                            piece.put(strips, top)
                for file, strip in zip(files, strips, strict=True):
                    file.write(strip.astype("<f8", copy=False).tobytes())
        for part, name in zip(parts, MATRICES, strict=True):
            part.replace(self.folder / name)
