# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Data sets of labelled frames: folders and arrays; generated and imported ones."""

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
    """Labelled frames: a folder in the native layout, whose pixels are decoded when they are asked for.

    Parameters
    ----------
    folder
        Holds NAME_colors.png, NAME_depth.png and NAME_ground_truth.png, or has a sub-folder `split` that does.
    split
        "train", "test" or "val": the sub-folder that is taken where `folder` itself has no frames.
    ignored_colors
        Colours of the ground truth, (red, green, blue) from 0 to 255, that mean "no class", besides black; or a text,
        "181,137,0" or "#b58900,#010203".
    needs_labels
        False also takes frames without ground truth, which can be predicted but not trained on. Ground truth of a project
        of ``fernwood teach`` that is older than its strokes counts as missing, with a warning.
    max_frames
        Take only so many, evenly spread over the folder; 0: all.

    Raises
    ------
    DataError
        The folder is missing or empty, or a frame misses a partner.
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
            os.fspath(folder), split, _elements.ignored_colors(ignored_colors), needs_labels, max_frames
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
        """Frames that lie in memory, or that a sequence makes when they are asked for.

        What is trained on them is, byte for byte, what is trained on files with the same pixels, classes and groups.

        Parameters
        ----------
        frames
            Each a `Frame`, (color, depth), or colour or depth alone; see `Frame` for shapes and units. Those of a list
            are read where they lie and must not change; any other sequence is asked for an item each time that it is
            needed, from several threads in turn, and must then give the same pixels.
        labels
            For each frame integers of shape (rows, columns): classes counted from 0, and -1 (or 65535, or 255 among
            8 bits) where a pixel has none. None: frames to predict only.
        classes
            Names, or names with their colours ``{"floor": (255, 0, 0)}``. None: numbers, as many as the labels have.
        groups
            For each frame what tells its scene: frames of one group are never parted by cross-fitting.
        names
            For each frame a word for messages.
        camera
            What took the frames that do not say it: fx, fy, cx, cy in pixels.

        Raises
        ------
        UsageError
            An array or a number of things is wrong; the sentence names the frame.
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
        """Rows of a ``datasets.Dataset``, or of any sequence of mappings, whose pictures are decoded when they are needed.

        Parameters
        ----------
        dataset
            One split, as ``load_dataset(name, split="train")`` gives it; or a list of dicts.
        color, depth
            Columns of pictures or arrays; see `Frame` for shapes and units. None: there are none.
        labels
            Column of label pictures (mode L or P) or arrays: class numbers, 255 where a pixel has none. Where there is
            no column "label", "annotation", "labels", "segmentation_mask", "mask" or "semantic_segmentation" is taken.
            None: frames to predict only.
        classes
            Names, or ``id2label``: numbers and names. Where 0 is not one of its numbers, it means no class. None: all
            labels are read, and classes are called "class 0", "class 1" ...
        camera
            What took the frames: fx, fy, cx, cy in pixels.

        Raises
        ------
        UsageError
            There is no such column, or it holds something else; the sentence names those that there are.
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
        except FernwoodError:  # frame() tells
            size = ""
        return f"<fernwood.Dataset {self._native.folder()}: {counted(len(self), 'frame')}{size}, {images}>"

    def _images(self) -> list[tuple[str, bool]]:
        return [("color", self.has_color), ("depth", self.has_depth), ("labels", self.has_labels), ("maps", self.num_maps > 0)]

    def frame(self, index: int) -> LabelledFrame:
        """Colour, depth and labels of a frame, and what is known of its camera.

        Raises
        ------
        DataError
            A file is damaged, sizes differ, or a label is not a class.
        IndexError
            There is no such frame.
        """
        try:
            number = operator.index(index)
        except TypeError:
            raise UsageError(f"the index of a frame is {index!r}; give a whole number, or data.subset(indices)") from None
        number += len(self) if number < 0 else 0
        if number < 0:
            raise IndexError(f"there is no frame {index}; there are {len(self)}")
        return LabelledFrame(*self._native.frame(number))

    @checked
    def save(
        self, folder: Union[str, os.PathLike], *, threads: int = 0, progress: ProgressOption = None
    ) -> Dataset:
        """Writes frames and labels without loss to a folder in the native layout, for the program and for `Dataset`.

        Beside the frames lie dataset.toml, with classes and camera, and groups.txt where frames have groups. What is
        trained on the folder is, byte for byte, what is trained on this data set. Frames keep their names where these
        are file names in ascending order; else their number precedes the name.

        Parameters
        ----------
        folder
            New or empty.
        threads
            0: all.

        Returns
        -------
        Dataset
            That of the folder.

        Raises
        ------
        UsageError
            The folder holds files, frames have different cameras, or a class is black, which means no class in files.
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
        """Writes the labels in files that other tools read, as ``fernwood dataset export`` does.

        Parameters
        ----------
        out
            The file of a format that is one file, or the folder of the others.
        format
            "coco": JSON with run lengths; "cvat": XML, "CVAT for images 1.1"; "label-studio": JSON with brush labels;
            "labelme": for each frame a JSON file with masks; "supervisely": a project with bitmaps; "voc":
            SegmentationClass, labelmap.txt and ImageSets, the last two with links to the pictures;
            "png": for each frame a palette file of uint8, 255 where a pixel has no class; "npy": for each frame an
            array of uint16, 65535 where there is none. The last two with classes.txt, a name a line.
        threads
            0: all.

        Raises
        ------
        UsageError
            There is no such format, or the frames have no labels.
        DataError
            Labels cannot be read.
        OperationError, ResourceError
            A file cannot be written.
        """
        with told(progress) as tell:
            self._native.export_labels(format, os.fspath(out), threads, tell)

    def subset(self, indices: Iterable[int]) -> Dataset:
        """The same data set with the frames of these indices alone, in ascending order."""
        chosen = _elements.each(indices, "indices", "the index of a frame, a whole number from 0", _elements.frame_index)
        if not chosen:
            raise UsageError("indices names no frame; give at least one")
        return Dataset._of(self._native.with_frames(sorted(chosen)))

    @property
    def names(self) -> list[str]:
        """For each frame its name: the part before ``_colors``."""
        return self._native.names()

    @property
    def groups(self) -> Optional[np.ndarray]:
        """For each frame the number of its group; None where nobody says."""
        groups = self._native.groups()
        return np.asarray(groups) if groups else None

    @property
    def classes(self) -> list[str]:
        """Names of the classes, in the order of their numbers. Where dataset.toml does not say, all labels are read."""
        return [name for name, _ in self._native.classes()]

    @property
    def colors(self) -> list[Color]:
        """For each class its colour."""
        return [color for _, color in self._native.classes()]

    @property
    def camera(self) -> Optional[Camera]:
        """fx, fy, cx, cy in pixels of what took the frames, for the size of the first; None where nobody says."""
        return self._native.camera()

    @property
    def has_color(self) -> bool:
        return self._native.has_color()

    @property
    def has_depth(self) -> bool:
        return self._native.has_depth()

    @property
    def num_maps(self) -> int:
        """Feature maps that come with each frame, see `Frame.maps`."""
        return self._native.num_maps()

    @property
    def has_labels(self) -> bool:
        return self._native.has_labels()


def _listed(sequence, name):
    """A list where the arrays are there already; other sequences make theirs when they are asked."""
    made_when_asked = hasattr(sequence, "__getitem__") and not isinstance(sequence, (np.ndarray, tuple, list))
    if sequence is None or made_when_asked:
        return sequence
    return _elements.each(sequence, name, "the arrays of a frame", lambda item: item)


def _numbered(groups) -> list[int]:
    """Numbers of groups, in the order of what tells them."""
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


def _color_of(name, given) -> Color:
    try:
        return _elements.color(given)
    except (TypeError, ValueError):
        raise UsageError(
            f"classes[{name!r}] is {given!r}; give a colour (red, green, blue) of whole numbers from 0 to 255"
        ) from None


#: The highest class that a label can be; 65535 means none, and 65534 is not used.
MAX_LABEL = 65533


def _highest(labels) -> int:
    """The highest class in all labels."""
    highest, void_seen, wide, refused = -1, False, False, len(labels) == 0
    few = set()
    for index in range(len(labels)):
        image = readable(labels[index], f"frame {index}: ", "labels")
        if image.dtype.kind not in "iu" or not image.size:
            refused = True  # where labels are taken
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
    """The data set itself, or that of a folder."""
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
    """Renders synthetic rooms as a depth camera would see them, into `out`/train and `out`/test.

    Parameters
    ----------
    frames, test_frames
        Frames to train and to test on, each of a room of its own; with `sequence`, rooms.
    sequence
        Frames of each room, which a camera is carried through, with poses; 0: single frames.
    fps
        Frames a second of sequences.
    moving_things
        Things that move through each room of sequences, from 0 to 16.
    size
        Width and height in pixels, each from 32 to 4096.
    holes
        Share of each frame's pixels without depth, from 0 to 0.9; None: what such a camera misses.
    classes
        "things": furniture and what lies about, 9 classes; "parts": the same frames, 31 classes: what rooms and things are
        made of; "rare": rooms in which small things of five classes lie about, each on about 0.5 % of the pixels.
    threads
        0: all.

    Returns
    -------
    Dataset
        The frames to train on; ``Dataset(out, split="test")`` has the others.

    Raises
    ------
    UsageError
        An option is out of its range, or the folder holds other files.
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
    """Turns the labelled part of NYU Depth v2 (Silberman et al., ECCV 2012) into `out`/train and `out`/test.

    Parameters
    ----------
    labeled, splits
        nyu_depth_v2_labeled.mat and splits.mat.
    threads
        0: all.
    options
        Those of ``fernwood dataset import nyu``: classes, 4 structural ones, 13 or 40; raw_depth, depth as measured,
        with holes, instead of filled in.

    Raises
    ------
    DataError
        A file is missing, damaged or of another form.
    """
    files = (os.fspath(labeled), os.fspath(splits), os.fspath(out))
    with told(progress) as tell:
        _fernwood.import_nyu(*files, option_texts(options), threads, tell)
    return Dataset(out, split="train")


def import_formats() -> list[str]:
    """Names of the formats that `import_from` knows."""
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
    """Turns labels or a data set of another program into a new folder in fernwood's own layout.

    Files that are as the layout has them become hard links; ground truth is written as palette PNG. The folder appears
    when all of it is written. Coordinates of annotations: pixel (col, row) reaches from (col, row) to (col + 1, row + 1),
    and belongs to a polygon if its middle is inside by the even-odd rule; later shapes lie over earlier ones.

    Parameters
    ----------
    format
        One of `import_formats()`: "coco", "cvat", "folders", "labelme", "scannet", ...
    source
        The file or folder that the format has.
    out
        A new folder.
    options
        Those of ``fernwood dataset import`` that the format has a use for: images, colors, depth, labels, classes,
        background, depth_scale, min_confidence; docs/howto/import_data.md explains them.

    Returns
    -------
    Dataset
        The frames of the split "train", or all where the format has no splits. What was assumed is a
        `FernwoodWarning` each.

    Raises
    ------
    DataError
        A file is missing, damaged or of another format.
    UsageError
        The format has no such option, or `out` holds files.
    """
    paths = (os.fspath(source), os.fspath(out))
    with told(progress) as tell:
        notes, all_labelled = _fernwood.import_labels(format, *paths, option_texts(options), threads, tell)
    for note in notes:
        warn(note)
    return Dataset(out, split="train", needs_labels=all_labelled)


@checked
def check(
    folder: Union[str, os.PathLike],
    *,
    ignored_colors: str | Iterable[Color] = (),
    max_frames: int = 0,
    threads: int = 0,
    progress: ProgressOption = None,
) -> DatasetCheck:
    """Looks for everything that is wrong with a folder of frames; the result names each problem.

    Raises
    ------
    DataError
        There is no folder with frames.
    """
    colors = _elements.ignored_colors(ignored_colors)
    with told(progress) as tell:
        return DatasetCheck(_fernwood.check_dataset(os.fspath(folder), colors, max_frames, threads, tell))
