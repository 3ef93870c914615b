# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Results: the program's JSON, shown as a table, a plot or a page."""

from __future__ import annotations

from typing import Optional

from . import _fernwood
from ._result import Result
from ._words import counted, listed, percent

__all__ = [
    "DatasetCheck",
    "Description",
    "Evaluation",
    "Explanation",
    "Importance",
    "Result",
    "Search",
    "Study",
    "Training",
    "Verification",
]


def __dir__():
    return __all__


def _warned(sentences: list[str]) -> str:
    return f", {counted(len(sentences), 'warning')}" if sentences else ""


def _bars(ax, names: list[str], values: list[Optional[float]], label: str) -> None:
    ax.barh(names, [value if value is not None else 0.0 for value in values])
    ax.invert_yaxis()
    ax.set_xlabel(label)


class Training(Result):
    """Report of a training; a row is a level of a tree."""

    _rows = "levels"

    def _words(self) -> str:
        found, trees = self.data, [tree for tree in self.data["trees"] if tree]
        depth = max((tree["depth"] for tree in trees), default=0)
        return (
            f"{counted(len(trees), 'tree')} up to {counted(depth, 'level')} deep from "
            f"{counted(found['frames'], 'frame')} in "
            f"{found['seconds_loading'] + found['seconds_growing'] + found['seconds_context']:.1f} s on "
            f"{found['device']}{_warned(found['warnings'])}"
        )

    def _draw(self, ax) -> None:
        seconds: dict[int, float] = {}
        for level in self.data["levels"]:
            seconds[level["level"]] = seconds.get(level["level"], 0.0) + level["seconds"]
        ax.bar(list(seconds), list(seconds.values()))
        ax.set_xlabel("level")
        ax.set_ylabel("seconds, all trees")


class Description(Result):
    """Contents of a forest; a row is a class."""

    _rows = "classes"

    def _words(self) -> str:
        found = self.data
        return (
            f"{found['kind']}, {counted(found['num_trees'], 'tree')}, {counted(len(found['classes']), 'class')} "
            f"({listed([row['name'] for row in found['classes']])}), channels {', '.join(found['channels'])}"
        )

    def _draw(self, ax) -> None:
        splits = self.data["splits_by_level"]
        ax.bar(range(len(splits)), splits)
        ax.set_xlabel("level")
        ax.set_ylabel("splits, all trees")


class DatasetCheck(Result):
    """Contents and problems of a folder of frames; a row is a class."""

    _rows = "classes"

    def _words(self) -> str:
        found = self.data
        kinds = [problem["severity"] for problem in found["problems"]]
        return (
            f"{found['folder']}, {counted(found['frames'], 'frame')}, {counted(len(found['classes']), 'class')}, "
            f"{counted(kinds.count('error'), 'error')}, {counted(kinds.count('warning'), 'warning')}"
        )

    def _draw(self, ax) -> None:
        rows = self.data["classes"]
        _bars(ax, [row["name"] for row in rows], [row["pixels"] for row in rows], "pixels")


class Evaluation(Result):
    """Accuracy of labels; a row is a class. pixel_accuracy, class_accuracy and mean_iou exclude void."""

    _rows = "classes"

    def frames_to_frame(self):
        """The accuracy of each frame as a pandas.DataFrame."""
        return self._frame_of(self.data["frame_scores"])

    def objects_to_frame(self):
        """The panoptic quality of each class as a pandas.DataFrame; empty if objects were not evaluated."""
        panoptic = self.data["panoptic"]
        return self._frame_of(panoptic["classes"] if panoptic else [])

    def _words(self) -> str:
        found = self.data
        return (
            f"pixel accuracy {percent(found['pixel_accuracy'])}, class accuracy {percent(found['class_accuracy'])}, "
            f"mean IoU {percent(found['mean_iou'])}, {counted(found['frames'], 'frame')} of {found['dataset']}, "
            f"{counted(len(found['classes']), 'class')}, {found['device']}"
        )

    def _draw(self, ax) -> None:
        names = [row["name"] for row in self.data["classes"]]
        counts = self.data["confusion"]
        shares = [[count / max(1, sum(row)) for count in row] for row in counts]
        ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        if len(names) <= 20:
            for y, row in enumerate(shares):
                for x, share in enumerate(row):
                    if share >= 0.005:
                        ax.text(x, y, f"{100 * share:.0f}", ha="center", va="center", fontsize=7, color="white" if share > 0.6 else "black")
        ax.set_xticks(range(len(shares[0])), (names + ["void"])[: len(shares[0])], rotation=90)
        ax.set_yticks(range(len(names)), names)
        ax.set_xlabel("predicted")
        ax.set_ylabel("truth")
        ax.set_title(f"{100 * self.data['pixel_accuracy']:.1f} % of the pixels are right")


class Explanation(Result):
    """Explanation of a pixel's class; a row is a test on its path through a tree."""

    def to_frame(self):
        """The tests of all trees as a pandas.DataFrame."""
        trees = enumerate(self.data["trees"])
        return self._frame_of([{"tree": tree, **test} for tree, found in trees for test in found["path"]])

    def _words(self) -> str:
        found = self.data
        share = dict(zip(found["classes"], found["probabilities"])).get(found["class"])
        trees = counted(len(found["trees"]), "tree")
        return f"pixel {found['x']}, {found['y']} of {found['frame']}: {found['class']} ({percent(share)}), {trees}"

    def _draw(self, ax) -> None:
        _bars(ax, self.data["classes"], self.data["probabilities"], "probability")
        ax.set_title(f"pixel {self.data['x']}, {self.data['y']}: {self.data['class']}")


class Importance(Result):
    """Accuracy lost if a channel is replaced by that of another frame; a row is a channel or a set of channels."""

    _rows = "exchanged"

    def _words(self) -> str:
        found = self.data
        most = max(found["exchanged"], key=lambda row: row["pixel_drop"], default=None)
        worth = f", most by {most['name']} ({percent(most['pixel_drop'])} lost without it)" if most else ""
        return f"pixel accuracy {percent(found['pixel_accuracy'])} of {counted(found['frames'], 'frame')}{worth}"

    def _draw(self, ax) -> None:
        rows = self.data["exchanged"]
        _bars(ax, [row["name"] for row in rows], [row["pixel_drop"] for row in rows], "pixel accuracy lost")


class Verification(Result):
    """Whether all devices give the same labels; a row is a device with one of its layouts."""

    _rows = "ways"

    def _words(self) -> str:
        found = self.data
        ways = counted(len(found["ways"]), "way")
        agree = "all agree" if found["identical"] else "they differ"
        return f"{ways} to label {counted(found['frames'], 'frame')}, {agree}"

    def _draw(self, ax) -> None:
        rows = self.data["ways"]
        names = [f"{row['device']}, {row['layout']}" for row in rows]
        _bars(ax, names, [row["different_pixels"] for row in rows], "pixels that differ")


class Study(Result):
    """Effect of each choice of a training; a row is a variant."""

    _rows = "variants"

    def _words(self) -> str:
        found = self.data
        return (
            f"{counted(len(found['variants']), 'variant')} of a training, pixel accuracy "
            f"{percent(found['base']['pixel_accuracy'])} without change, device {found['device']}"
        )

    def _draw(self, ax) -> None:
        rows = [row for row in self.data["variants"] if row.get("pixel_difference") is not None]
        _bars(ax, [row["name"] for row in rows], [row["pixel_difference"] for row in rows], "pixel accuracy gained")


class Search(Result):
    """Result of a search; a row is a trial. ``forest`` is the winner's, trained on all frames."""

    _rows = "trials"

    def __init__(self, native: _fernwood.Report, forest, config: str) -> None:
        super().__init__(native)
        self.forest = forest
        #: The winner's options, as a --config file of the program.
        self.config = config

    def _words(self) -> str:
        found, winner = self.data, self.data["winner"]
        return f"{counted(len(found['trials']), 'trial')}, the winner is trial {winner['trial']} with {self.forest!r}"

    def _draw(self, ax) -> None:
        trials = self.data["trials"]
        variants = [variant for trial in trials for variant in trial["variants"] if variant["loss"] is not None]
        known = [variant for variant in variants if variant["latency_ms"] is not None]
        ax.plot([variant["latency_ms"] for variant in known], [variant["loss"] for variant in known], ".")
        winner = trials[self.data["winner"]["trial"]]["variants"][self.data["winner"]["variant"]]
        ax.plot([winner["latency_ms"]], [winner["loss"]], "o", label="winner")
        ax.set_xlabel("milliseconds of a frame")
        ax.set_ylabel("loss")
        ax.legend()
