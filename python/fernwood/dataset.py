# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Data sets of labelled frames: from folders and arrays, generated or imported."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _elements, _fernwood, _huggingface
from ._arguments import checked
from ._frames import Camera, FrameLike, LabelledFrame, readable
from ._option_types import ImportNyuOptions, ImportOptions, Unpack
from ._options import option_texts
from ._progress import ProgressOption, told
from ._words import a_type, counted
from .errors import DataError, FernwoodError, UsageError, warn
from .results import DatasetCheck

__all__ = ["Dataset", "check", "generate", "import_formats", "import_from", "import_nyu"]


def __dir__():
    return __all__

Color = tuple[int, int, int]
Classes = Union[Sequence[str], Mapping[str, Color]]


class Dataset:
    """Labelled frames: a folder in the native layout, whose pixels are decoded on demand.

    Parameters
    ----------
    folder
        Has NAME_colors.png, NAME_depth.png and NAME_ground_truth.png, or a sub-folder `split` that has them.
    split
        "train", "test" or "val": the sub-folder to use if `folder` itself has no frames.
    ignored_colors
        Colours of the ground truth, (red, green, blue) from 0 to 255, that mean "no class", besides black; or a text,
        "181,137,0" or "#b58900,#010203".
    needs_labels
        False also accepts frames without ground truth, for prediction only. Ground truth of a project of ``fernwood
        teach`` that is older than its strokes counts as missing, with a warning.
    max_frames
        Maximum number of frames, evenly spread over the folder; 0: all.

    Raises
    ------
    DataError
        The folder is missing or empty, or one of a frame's files is missing.
    """

    @checked
    def __init__(
        self,
        folder: Union[str, os.PathLike],
        *,
        split: str = "",
        ignored_colors: str | Iterable[Color] = (),
        needs_labels: bool = True,
        max_frames: int = 0,
    ) -> None:
        self._native = _fernwood.Dataset.open(
            os.fspath(folder), split, _color_list(ignored_colors), needs_labels, max_frames
        )

    @classmethod
    def _of(cls, native: _fernwood.Dataset) -> Dataset:
        dataset = cls.__new__(cls)
        dataset._native = native
        return dataset

    @classmethod
    @checked
    def from_arrays(
        cls,
        frames: Sequence[FrameLike],
        labels: Optional[Sequence[np.ndarray]] = None,
        *,
        classes: Optional[Classes] = None,
        groups: Optional[Sequence[Any]] = None,
        names: Optional[Sequence[str]] = None,
        camera: Optional[Camera] = None,
        name: str = "the frames in memory",
    ) -> Dataset:
        """A data set of frames in memory, or of a sequence that produces frames on demand.

        A forest trained on it equals, byte for byte, one trained on files with the same pixels, classes and groups.

        Parameters
        ----------
        frames
            Each a `Frame`, (color, depth), or only colour or depth; see `Frame` for shapes and units. Arrays of a list
            are read in place and must not change. Any other sequence is indexed each time that a frame is needed, from
            several threads in turn, and must return the same pixels every time.
        labels
            For each frame integers of shape (rows, columns): classes counted from 0, and -1 (or 65535, or 255 in 8-bit
            arrays) for no class. None: frames for prediction only.
        classes
            Names, or names with their colours ``{"floor": (255, 0, 0)}``. None: numbers, as many as the labels have.
        groups
            For each frame a number or text for its scene: cross-fitting never separates frames of one group.
        names
            For each frame a name for messages.
        camera
            Camera of the frames that have none: fx, fy, cx, cy in pixels.

        Raises
        ------
        UsageError
            An array, or the length of a sequence, is wrong; the message names the frame.
        """
        frames, labels = _listed(frames, "frames"), _listed(labels, "labels")
        native = _fernwood.Dataset.from_arrays(
            frames,
            labels,
            _named(classes, labels),
            [] if groups is None else _numbered(groups),
            [] if names is None else _elements.texts(names, "names"),
            camera,
            name,
        )
        return cls._of(native)

    @classmethod
    @checked
    def from_huggingface(
        cls,
        dataset: Any,
        *,
        color: Optional[str] = "image",
        labels: Optional[str] = "label",
        depth: Optional[str] = None,
        classes: Union[Sequence[str], Mapping[Union[int, str], str], None] = None,
        camera: Optional[Camera] = None,
    ) -> Dataset:
        """A data set of the rows of a ``datasets.Dataset``, or any sequence of mappings, decoded on demand.

        Parameters
        ----------
        dataset
            One split, such as ``load_dataset(name, split="train")``; or a list of dicts.
        color, depth
            Columns of pictures or arrays; see `Frame` for shapes and units. None: not used.
        labels
            Column of label images (mode L or P) or arrays: class numbers, 255 for no class. If there is no column
            "label", then "annotation", "labels", "segmentation_mask", "mask" or "semantic_segmentation" is used. None:
            frames for prediction only.
        classes
            Names, or ``id2label``: numbers and names. If it does not contain 0, 0 means no class. None: all labels are
            read, and classes are named "class 0", "class 1" ...
        camera
            Camera of the frames: fx, fy, cx, cy in pixels.

        Raises
        ------
        UsageError
            A column does not exist or has other content; the message names the existing columns.
        DataError
            A picture is damaged, a value is missing, or a number is not a class.
        """
        _huggingface.check_rows(dataset)
        columns = _huggingface.columns_of(dataset)
        if color is None and depth is None:
            raise UsageError("color and depth are both None; name a column of pictures")
        for name, option in ((color, "color"), (depth, "depth")):
            if name is not None:
                _huggingface.column(columns, name, option)
        frames = _huggingface.frames_of(dataset, color, depth)
        if labels is None:
            return cls.from_arrays(frames, camera=camera, name="the dataset")
        names, numbers = _huggingface.named_classes(classes)
        images = _huggingface.labels_of(dataset, _huggingface.label_column(columns, labels), numbers)
        if names is None:
            names = [f"class {number}" for number in range(_highest(images) + 1)]
        return cls.from_arrays(frames, images, classes=names, camera=camera, name="the dataset")

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, index: int) -> LabelledFrame:
        return self.frame(index)

    def __iter__(self) -> Iterator[LabelledFrame]:
        return (self.frame(index) for index in range(len(self)))

    def __repr__(self) -> str:
        images = ", ".join(name for name, there in self._images() if there)
        try:
            size = " of {}x{}".format(*self._native.frame_size())
        except FernwoodError:  # frame() reports it
            size = ""
        return f"<fernwood.Dataset {self._native.folder()}: {counted(len(self), 'frame')}{size}, {images}>"

    def _images(self) -> list[tuple[str, bool]]:
        return [("color", self.has_color), ("depth", self.has_depth), ("labels", self.has_labels), ("maps", self.num_maps > 0)]

    def frame(self, index: int) -> LabelledFrame:
        """Colour, depth and labels of a frame, and its camera, if known.

        Raises
        ------
        DataError
            A file is damaged, sizes differ, or a label is not a class.
        IndexError
            The index is out of range.
        """
        try:
            number = operator.index(index)
        except TypeError:
            raise UsageError(f"the index of a frame is {index!r}; give a whole number, or data.subset(indices)") from None
        number += len(self) if number < 0 else 0
        if not 0 <= number < len(self):
            raise IndexError(f"there is no frame {index}; there are {len(self)}")
        return LabelledFrame(*self._native.frame(number))

    @checked
    def save(
        self, folder: Union[str, os.PathLike], *, threads: int = 0, progress: ProgressOption = None
    ) -> Dataset:
        """Writes frames and labels without loss to a folder in the native layout, for the program and for `Dataset`.

        Also writes dataset.toml, with classes and camera, and groups.txt if frames have groups. A forest trained on the
        folder equals, byte for byte, a forest trained on this data set. Frames keep their names if these are file names
        in ascending order; otherwise their number is put before the name.

        Parameters
        ----------
        folder
            A new or empty folder.
        threads
            Number of threads; 0: all.

        Returns
        -------
        Dataset
            The data set of the folder.

        Raises
        ------
        UsageError
            The folder holds files, or a class is black, which means no class in files.
        DataError
            A frame cannot be read, or a label is not a class.
        OperationError, ResourceError
            A file cannot be written.
        """
        with told(progress) as tell:
            self._native.save(os.fspath(folder), threads, tell)
        return Dataset(folder, needs_labels=self.has_labels)

    @checked
    def export(
        self,
        out: Union[str, os.PathLike],
        format: str,
        *,
        threads: int = 0,
        progress: ProgressOption = None,
    ) -> None:
        """Writes the labels to files of other tools' formats, as ``fernwood dataset export`` does.

        Parameters
        ----------
        out
            A file, for formats that consist of one file, otherwise a folder.
        format
            "coco": JSON with run lengths; "cvat": XML, "CVAT for images 1.1"; "label-studio": JSON with brush labels;
            "labelme": for each frame a JSON file with masks; "supervisely": a project with bitmaps; "voc":
            SegmentationClass, labelmap.txt and ImageSets; "supervisely" and "voc" with links to the pictures;
            "png": for each frame a palette file of uint8, 255 for no class; "npy": for each frame an array of uint16,
            65535 for no class. "png" and "npy" with classes.txt, which has one name per line.
        threads
            Number of threads; 0: all.

        Raises
        ------
        UsageError
            The format is unknown, the frames have no labels, or ``out`` is a file of the data set.
        DataError
            Labels cannot be read.
        OperationError, ResourceError
            A file cannot be written.
        """
        with told(progress) as tell:
            self._native.export_labels(format, os.fspath(out), threads, tell)

    def subset(self, indices: Iterable[int]) -> Dataset:
        """A data set of only the frames with these indices, in ascending order."""
        chosen = _elements.each(indices, "indices", "the index of a frame, a whole number from 0", _elements.frame_index)
        if not chosen:
            raise UsageError("indices names no frame; give at least one")
        return Dataset._of(self._native.with_frames(sorted(chosen)))

    @property
    def names(self) -> list[str]:
        """The name of each frame: the part before ``_colors``."""
        return self._native.names()

    @property
    def groups(self) -> Optional[np.ndarray]:
        """The group number of each frame; None if not known."""
        groups = self._native.groups()
        return np.asarray(groups) if groups else None

    @property
    def classes(self) -> list[str]:
        """Names of the classes, in the order of their numbers. If dataset.toml lacks them, all labels are read."""
        return [name for name, _ in self._native.classes()]

    @property
    def colors(self) -> list[Color]:
        """The colour of each class."""
        return [color for _, color in self._native.classes()]

    @property
    def camera(self) -> Optional[Camera]:
        """Camera of the frames without one of their own: fx, fy, cx, cy in pixels, for the size of the first frame; None
        if not known. Without ``camera`` in `from_arrays` it is that of the first frame. Forests store it."""
        return self._native.camera()

    @property
    def has_color(self) -> bool:
        return self._native.has_color()

    @property
    def has_depth(self) -> bool:
        return self._native.has_depth()

    @property
    def num_maps(self) -> int:
        """Number of feature maps of each frame, see `Frame.maps`."""
        return self._native.num_maps()

    @property
    def has_labels(self) -> bool:
        return self._native.has_labels()


def _listed(sequence, name):
    """The arrays as a list; a sequence that produces items on demand, or None, is returned unchanged."""
    made_when_asked = hasattr(sequence, "__getitem__") and not isinstance(sequence, (np.ndarray, tuple, list))
    if sequence is None or made_when_asked:
        return sequence
    return _elements.each(sequence, name, "the arrays of a frame", lambda item: item)


def _numbered(groups) -> list[int]:
    """Numbers of groups, in the sorted order of their names."""
    told = _elements.each(groups, "groups", "a text or a number that tells the frame's scene", _told)
    return np.unique(np.asarray(told), return_inverse=True)[1].tolist()


def _told(group):
    _elements.name(group)
    return group


def _named(classes: Optional[Classes], labels) -> list[tuple[str, Optional[Color]]]:
    if classes is None:
        return [] if labels is None else [(str(index), None) for index in range(_highest(labels) + 1)]
    if isinstance(classes, Mapping):
        return [(str(name), _color_of(name, color)) for name, color in classes.items()]
    return [(name, None) for name in _elements.each(classes, "classes", "a name", _elements.name)]


def _color_list(ignored_colors: str | Iterable[Any]) -> list[Color]:
    """A list of colours, or a text in the form of the command line."""
    if isinstance(ignored_colors, str):
        return _fernwood.parse_ignored_colors(ignored_colors)
    colour = "a colour (red, green, blue) of whole numbers from 0 to 255"
    return _elements.each(ignored_colors, "ignored_colors", colour, _elements.color)


def _color_of(name, given) -> Color:
    try:
        return _elements.color(given)
    except (TypeError, ValueError):
        raise UsageError(
            f"classes[{name!r}] is {given!r}; give a colour (red, green, blue) of whole numbers from 0 to 255"
        ) from None


#: The highest class number of a label; 65535 means no class, and 65534 is not used.
MAX_LABEL = 65533


def _highest(labels) -> int:
    """The highest class in all labels."""
    highest, void_seen, wide, refused = -1, False, False, len(labels) == 0
    few = set()
    for index in range(len(labels)):
        image = readable(labels[index], f"frame {index}: ", "labels")
        if image.dtype.kind not in "iu" or not image.size:
            refused = True  # later, when the labels are read
            continue
        void = 255 if image.dtype.itemsize == 1 else 65535
        known = image[(image >= 0) & (image != void)]
        highest = max(highest, int(known.max()) if known.size else -1)
        void_seen |= image.dtype.itemsize == 1 and known.size < image.size
        wide |= image.dtype.itemsize > 1
        if wide and len(few) <= 16:
            few.update(np.unique(known).tolist())
    if refused:
        return highest
    if highest < 0:
        raise UsageError("no pixel has a label; give some pixels the number of their class")
    if highest > MAX_LABEL:
        raise UsageError(f"a label is {highest}; give classes from 0 to {MAX_LABEL}, and -1 where a pixel has none")
    if highest == 0 and void_seen:
        raise DataError(
            "the labels hold no class but 0, besides 255, which means no class among 8 bits; a forest of one class tells "
            "nothing apart: give masks as 0 and 1, as by (mask > 0).astype(numpy.uint8)"
        )
    if wide and highest == 255 and len(few) <= 16:
        warn(
            f"labels of more than 8 bits hold {len(few)} numbers up to 255, which is a class there, so there are 256 classes; "
            "give -1 or 65535 where 255 means no class, and 0 and 1 for masks"
        )
    return highest


def open_dataset(data: Union[str, os.PathLike, Dataset], split: str, **options) -> Dataset:
    """The argument itself if it is a data set, or the data set of a folder."""
    if isinstance(data, Dataset):
        return data
    if not isinstance(data, (str, os.PathLike)):
        raise UsageError(
            f"data is {a_type(data)}; give a folder, or fernwood.Dataset.from_arrays(frames, labels)"
        )
    return Dataset(data, split=split, **options)


@checked
def generate(
    out: Union[str, os.PathLike],
    *,
    frames: int = 40,
    test_frames: int = 10,
    sequence: int = 0,
    fps: float = 10,
    moving_things: int = 0,
    seed: int = 4711,
    size: tuple[int, int] = (640, 480),
    holes: Optional[float] = None,
    classes: str = "things",
    threads: int = 0,
    progress: ProgressOption = None,
) -> Dataset:
    """Renders synthetic rooms, as seen by an RGB-D camera, into `out`/train and `out`/test.

    Parameters
    ----------
    frames, test_frames
        Numbers of frames for training and testing, each of a different room; with `sequence`, numbers of rooms.
    sequence
        Number of frames of each room, from a moving camera, with poses; 0: single frames.
    fps
        Frames per second of sequences.
    moving_things
        Number of objects that move through each room of sequences, from 0 to 16.
    size
        Width and height in pixels, each from 32 to 4096.
    holes
        Share of each frame's pixels without depth, from 0 to 0.9; None: as a real camera.
    classes
        "things": furniture and objects, 9 classes; "parts": the same frames with 31 classes, the parts of rooms and
        objects; "rare": rooms with small objects of five classes, each on about 0.5 % of the pixels.
    threads
        Number of threads; 0: all.

    Returns
    -------
    Dataset
        The training frames; ``Dataset(out, split="test")`` has the others.

    Raises
    ------
    UsageError
        An option is out of range, or the folder has other files.
    """
    width_height = _elements.whole_numbers(size, "size", 2, "(width, height)")
    with told(progress) as tell:
        _fernwood.generate(os.fspath(out), frames, test_frames, sequence, fps, moving_things, seed, *width_height, holes, classes, threads, tell)
    return Dataset(out, split="train")


@checked
def import_nyu(
    labeled: Union[str, os.PathLike],
    splits: Union[str, os.PathLike],
    out: Union[str, os.PathLike],
    *,
    threads: int = 0,
    progress: ProgressOption = None,
    **options: Unpack[ImportNyuOptions],
) -> Dataset:
    """Converts the labelled part of NYU Depth v2 (Silberman et al., ECCV 2012) to `out`/train and `out`/test.

    Parameters
    ----------
    labeled, splits
        nyu_depth_v2_labeled.mat and splits.mat.
    threads
        Number of threads; 0: all.
    options
        Those of ``fernwood dataset import nyu``: classes, 4 structural ones, 13 or 40; raw_depth, to import measured
        depth with holes instead of filled depth.

    Raises
    ------
    DataError
        A file is missing, damaged or has another format.
    """
    files = (os.fspath(labeled), os.fspath(splits), os.fspath(out))
    with told(progress) as tell:
        _fernwood.import_nyu(*files, option_texts(options), threads, tell)
    return Dataset(out, split="train")


def import_formats() -> list[str]:
    """Names of the formats of `import_from`."""
    return _fernwood.import_formats()


@checked
def import_from(
    format: str,
    source: Union[str, os.PathLike],
    out: Union[str, os.PathLike],
    *,
    threads: int = 0,
    progress: ProgressOption = None,
    **options: Unpack[ImportOptions],
) -> Dataset:
    """Converts labels or a data set of another program to a new folder in the native layout.

    Files that already have the right format become hard links; ground truth is written as palette PNG. The folder
    appears only when it is complete. Coordinates of annotations: pixel (col, row) extends from (col, row) to (col + 1,
    row + 1), and belongs to a polygon if its centre is inside by the even-odd rule; later shapes cover earlier ones.

    Parameters
    ----------
    format
        One of `import_formats()`: "coco", "cvat", "folders", "labelme", "scannet", ...
    source
        The file or folder in this format.
    out
        A new folder.
    options
        Those of ``fernwood dataset import`` that apply to the format: images, colors, depth, labels, classes,
        background, depth_scale, min_confidence; docs/howto/import_data.md explains them.

    Returns
    -------
    Dataset
        The frames of the split "train", or all if the format has no splits; without a split "train", those of the
        first one. Each assumption that was made is a `FernwoodWarning`.

    Raises
    ------
    DataError
        A file is missing, damaged or has another format.
    UsageError
        The format does not have the option, or `out` has files.
    """
    paths = (os.fspath(source), os.fspath(out))
    with told(progress) as tell:
        folder, notes, all_labelled = _fernwood.import_labels(format, *paths, option_texts(options), threads, tell)
    for note in notes:
        warn(note)
    return Dataset(folder, split="train", needs_labels=all_labelled)


@checked
def check(
    folder: Union[str, os.PathLike],
    *,
    ignored_colors: str | Iterable[Color] = (),
    max_frames: int = 0,
    threads: int = 0,
    progress: ProgressOption = None,
) -> DatasetCheck:
    """Checks a folder of frames; the result lists all problems.

    Raises
    ------
    DataError
        The folder is missing or has no frames.
    """
    colors = _color_list(ignored_colors)
    with told(progress) as tell:
        return DatasetCheck(_fernwood.check_dataset(os.fspath(folder), colors, max_frames, threads, tell))
