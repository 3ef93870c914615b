# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Voxel maps of the labels of a recording."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import NamedTuple, Optional, Union

import numpy as np

from . import _fernwood
from ._arguments import checked
from ._option_types import GridOptions, MapOptions, ObjectOptions, Unpack
from ._options import option_texts
from ._progress import ProgressOption, told
from ._words import a_type, counted
from .encoders import Encoder, encoder_of
from .errors import UsageError
from .forest import Forest, native_of

__all__ = ["OccupancyGrid", "VoxelMap", "load_map", "map"]


def __dir__():
    return __all__


class _Points(NamedTuple):
    """The arrays of `VoxelMap`, in the same order."""

    points: np.ndarray
    normals: np.ndarray
    colors: np.ndarray
    labels: np.ndarray
    probabilities: np.ndarray


class OccupancyGrid(NamedTuple):
    """The floor of a map from above, as `VoxelMap.grid` returns it: x along columns, y along rows, z up."""

    cells: np.ndarray
    """int8 of shape (rows, columns): 0 free, 100 occupied, -1 unknown."""
    cell_size: float
    """Side of a cell in metres."""
    origin: tuple[float, float]
    """x and y in metres of the corner of ``cells[0, 0]``."""
    from_map: np.ndarray
    """float32 of shape (4, 4): from homogeneous coordinates of the map to those of the grid, with z = 0 on the floor."""

    @property
    def free_m2(self) -> float:
        """Area of the free cells in square metres."""
        return int(np.count_nonzero(self.cells == 0)) * self.cell_size**2


class VoxelMap:
    """A map with the fused predictions of all frames of a recording; `map` creates it, `load_map` reads it.

    Arrays describe its points: voxels that were seen often enough (``min_weight``), in an order that depends only on
    their positions. They are copies, made at the first access.
    """

    def __init__(self, native: _fernwood.VoxelMap) -> None:
        self._native = native
        self._found: Optional[_Points] = None

    def _columns(self) -> _Points:
        if self._found is None:
            self._found = _Points(*self._native.points())
        return self._found

    @property
    def points(self) -> np.ndarray:
        """Mean position of the measured points in each voxel: float32 of shape (points, 3), in metres."""
        return self._columns().points

    @property
    def normals(self) -> np.ndarray:
        """Unit normals, oriented towards the cameras, 0 where they are unknown: float32 of shape (points, 3)."""
        return self._columns().normals

    @property
    def colors(self) -> np.ndarray:
        """Red, green, blue; the class colour if frames had no colour: uint8 of shape (points, 3)."""
        return self._columns().colors

    @property
    def labels(self) -> np.ndarray:
        """The class of each point, an index into `classes`, or `VOID`: uint16 of shape (points,)."""
        return self._columns().labels

    @property
    def probabilities(self) -> np.ndarray:
        """Probability of the class of each point: float32 of shape (points,), from 0 to 1."""
        return self._columns().probabilities

    def class_probabilities(self) -> np.ndarray:
        """Probabilities of all classes at each point: float32 of shape (points, classes), from 0 to 1."""
        return np.asarray(self._native.class_probabilities())

    @property
    def objects(self) -> list[dict]:
        """The objects of a map that was made with ``objects``: what ``fernwood map objects --json`` prints of them;
        docs/reference/map.md explains the keys.

        Raises
        ------
        UsageError
            The map has no list of objects.
        """
        return json.loads(self._native.objects_json())["objects"]

    def grid(self, **options: Unpack[GridOptions]) -> OccupancyGrid:
        """Free floor and obstacles from above; see docs/reference/map.md.

        Raises
        ------
        UsageError
            An option is wrong, or none of the classes is floor by its name and ``floor`` is not given.
        DataError
            The map extends over too many cells.
        """
        return OccupancyGrid(*self._native.grid(option_texts(options)))

    @property
    def classes(self) -> list[str]:
        """Names of the classes, in the order of their numbers."""
        return [name for name, _ in self._native.classes()]

    @property
    def voxel_size(self) -> float:
        """Side of a voxel in metres."""
        return self._native.voxel_size()

    @property
    def num_frames(self) -> int:
        """Number of frames that were fused, including those of earlier runs."""
        return self._native.num_frames()

    @checked
    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the map, as an atomic file; `load_map` and ``fernwood map --continue`` read it.

        Raises
        ------
        OperationError, ResourceError
            It cannot be written; if the folder is missing, this is also a FileNotFoundError.
        """
        self._native.save(os.fspath(path))

    @checked
    def save_points(self, path: Union[str, os.PathLike], *, all_probabilities: bool = False) -> None:
        """Writes the points as PLY with class and probability, as ``fernwood map --out`` does.

        Parameters
        ----------
        all_probabilities
            Also write the probabilities of all classes, as properties ``p_CLASS``.

        Raises
        ------
        OperationError, ResourceError
            It cannot be written; if the folder is missing, this is also a FileNotFoundError.
        """
        self._native.save_points(os.fspath(path), all_probabilities)

    @checked
    def save_mesh(self, path: Union[str, os.PathLike]) -> None:
        """Writes the surface between the voxels as PLY with triangles, as ``fernwood map --mesh`` does.

        Raises
        ------
        OperationError, ResourceError
            It cannot be written; if the folder is missing, this is also a FileNotFoundError.
        """
        self._native.save_mesh(os.fspath(path))

    @checked
    def save_grid(self, path: Union[str, os.PathLike], **options: Unpack[GridOptions]) -> None:
        """Writes `grid` as FILE.yaml and FILE.pgm, which Nav2's map server reads, as ``fernwood map --grid`` does.

        Raises
        ------
        UsageError, DataError
            As `grid`.
        OperationError, ResourceError
            It cannot be written; if the folder is missing, this is also a FileNotFoundError.
        """
        self._native.save_grid(os.fspath(path), option_texts(options))

    @checked
    def save_page(self, path: Union[str, os.PathLike], *, name: str = "") -> None:
        """Writes an HTML page with a rotating view of the points, as ``fernwood map --page`` does.

        Parameters
        ----------
        name
            Title of the page.

        Raises
        ------
        OperationError, ResourceError
            It cannot be written; if the folder is missing, this is also a FileNotFoundError.
        """
        self._native.save_page(os.fspath(path), name)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        frames, classes = counted(self.num_frames, "frame"), counted(len(self.classes), "class")
        return f"<fernwood.VoxelMap of {frames}, {classes}, voxels of {self.voxel_size:g} m>"


@checked
def map(
    forest: Forest,
    source: Union[str, os.PathLike],
    *,
    objects: Union[bool, ObjectOptions] = False,
    continued: Optional[VoxelMap] = None,
    encoder: Optional[Encoder] = None,
    progress: ProgressOption = None,
    **options: Unpack[MapOptions],
) -> VoxelMap:
    """Labels the frames of a recording and fuses them in a voxel map, as ``fernwood map`` does; see docs/reference/map.md.

    Parameters
    ----------
    source
        As in `live`: a folder of frames, "tum:DIR", "mcap:FILE" … with depth. Poses are those of the source; if it has
        none, each frame is registered to the previous one, with a warning.
    objects
        True, or a dict of options (things, object_gap, min_object_area, min_object_confidence): also track the objects
        of the frames; `VoxelMap.objects` lists them. ``smooth`` is then 80 by default.
    continued
        A map to continue, with the same classes, and from a source whose poses use the same coordinates. Frames are
        added to it, and it is returned; it keeps the frames fused before an error or an interrupt. None: a new map.
    encoder
        As in `live`.
    options
        voxel_size (0.01 to 0.05 metres), max_range, render_cell (metres), min_weight, memory_budget ("1GB"), every and
        frames (the selection of frames to map), and those of `Predictor`.

    Raises
    ------
    UsageError
        The source or an option is unknown, the source is a camera and ``frames`` is not set, frames without poses
        would continue a map, or `objects` would be tracked in a map that was made without.
    DataError
        The recording is missing, is damaged, has no depth, or none of its frames could be mapped.
    ModelError
        The frames lack colour that the forest reads, or the map has other classes.
    DeviceError
        The device is not available, or the camera failed.
    """
    if continued is not None and not isinstance(continued, VoxelMap):
        raise UsageError(f"continued is {a_type(continued)}; use a VoxelMap, as by fernwood.load_map(path)")
    if objects not in (None, False, True) and not isinstance(objects, Mapping):
        raise UsageError(f"objects is {a_type(objects)}; pass True, or a dict of options")
    of_objects = None if objects in (None, False) else option_texts({} if objects is True else objects)
    known = None if continued is None else continued._native
    by = encoder_of(native_of(forest), encoder)
    try:
        with told(progress) as tell:
            native = _fernwood.map_source(
                native_of(forest), os.fspath(source), option_texts(options), of_objects, by, known, tell
            )
    finally:
        if continued is not None:
            continued._found = None
    return VoxelMap(native) if continued is None else continued


@checked
def load_map(
    path: Union[str, os.PathLike],
    *,
    min_weight: Optional[int] = None,
    memory_budget: Optional[str] = None,
) -> VoxelMap:
    """Reads a map that `VoxelMap.save` or ``fernwood map --map-file`` wrote.

    Parameters
    ----------
    min_weight
        Minimum weight of voxels that become points, 1 to 128; None: 3.
    memory_budget
        Memory limit of the map, such as "500MB"; None: 1 GiB.

    Raises
    ------
    ModelError
        The file is damaged, too new, or not a map.
    ResourceError
        The map does not fit the memory budget.
    OperationError
        It cannot be read; if it is missing, this is also a FileNotFoundError.
    """
    texts = option_texts({"min_weight": min_weight, "memory_budget": memory_budget})
    return VoxelMap(_fernwood.load_map(os.fspath(path), texts))
