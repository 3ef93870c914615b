# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""A forest over pixels with a scikit-learn-compatible API."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Optional, Union

import numpy as np

from ._frames import Camera, FrameLike
from ._option_types import EstimatorOptions, Unpack
from ._optional import require
from ._threads import threads_of
from .dataset import Classes, Dataset
from .errors import UsageError
from .evaluation import evaluate
from .forest import Forest
from .training import train

__all__ = ["PixelForest"]


def __dir__():
    return __all__

#: Parameters with other names in `train`, since an estimator has a method `score`.
_OTHER_NAMES = {"split_score": "score", "n_jobs": "threads"}
#: Parameters that are not training options.
_NOT_OF_TRAINING = ("classes", "camera", "smooth")


#: Defaults of parameters for which these are not None.
_DEFAULTS = {"smooth": 0}


class PixelForestParameters(EstimatorOptions, total=False):
    """Parameters of `PixelForest`."""

    preset: Optional[str]
    """A preset, which the other options override; None: "balanced"."""
    optimize: Optional[str]
    """Metric that class weights are tuned for: "pixels", "classes" or "iou"."""
    classes: Optional[Classes]
    """Names, or names with colours; None: numbers, as many as the labels have."""
    camera: Optional[Camera]
    """fx, fy, cx, cy in pixels, of frames that do not carry their camera."""
    smooth: int
    """Extent of edge-aware smoothing in pixels, 0 to 1000; 0: none."""


class PixelForest:
    """An estimator that labels every pixel of frames, for use with ``cross_val_score`` and ``GridSearchCV``.

    A sample is a frame, so `fit` and `predict` take sequences of frames. `train` and `Forest` do the same without an
    estimator's conventions, and also read folders.

    Parameters
    ----------
    preset, algorithm, trees, …
        Options of `train`; None: the preset's value. ``split_score`` is its option ``score``, and ``n_jobs`` its
        ``threads`` (None or -1: all).
    classes
        Names, or names with colours; None: numbers, as many as the labels have. Set them if a fold may lack a class of
        the others.
    camera
        fx, fy, cx, cy in pixels, for frames without a camera.
    smooth
        As in `Predictor`.

    Attributes
    ----------
    forest_ : Forest
    classes_ : ndarray
        The class numbers.
    """

    _estimator_type = "classifier"

    def __init__(self, **parameters: Unpack[PixelForestParameters]) -> None:
        for name in self._names():
            setattr(self, name, _DEFAULTS.get(name))
        self.set_params(**parameters)

    @classmethod
    def _names(cls) -> list[str]:
        return list(dict.fromkeys([*EstimatorOptions.__annotations__, *PixelForestParameters.__annotations__]))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **parameters: Any) -> PixelForest:
        """Changes parameters of the constructor."""
        for name, value in parameters.items():
            if name not in self._names():
                raise UsageError(f"PixelForest has no parameter {name!r}; it has {', '.join(self._names())}")
            setattr(self, name, value)
        return self

    def fit(self, frames: Sequence[FrameLike], labels: Sequence[np.ndarray], groups: Any = None) -> PixelForest:
        """Trains the forest.

        Parameters
        ----------
        frames, labels
            As in `Dataset.from_arrays`: for each frame (color, depth), `Frame` or only colour, and integers of shape
            (rows, columns).
        groups
            For each frame a number or text for its scene: cross-fitting of stages does not separate a scene's frames.

        Raises
        ------
        UsageError
            A parameter is out of range, or an array has another shape or type.
        """
        data = Dataset.from_arrays(frames, labels, classes=self.classes, groups=groups, camera=self.camera)
        self.forest_ = train(data, progress=False, **self._options())
        self.classes_ = np.arange(len(self.forest_.classes))
        self._names_fitted = dict(zip(data.classes, data.colors))
        return self

    def predict(self, frames: Sequence[FrameLike]) -> Union[np.ndarray, list[np.ndarray]]:
        """The class of each pixel of each frame: uint16 of shape (frames, rows, columns), or a list if sizes differ."""
        forest = self._fitted()
        data = frames if self.camera is None else Dataset.from_arrays(list(frames), camera=self.camera)
        return _stacked(list(forest.stream(data, **self._predict_options())))

    def predict_proba(self, frames: Sequence[FrameLike]) -> Union[np.ndarray, list[np.ndarray]]:
        """The probability of each class: float32 of shape (frames, rows, columns, classes); a list if sizes differ."""
        predictor = self._fitted().predictor(**self._predict_options())
        data = Dataset.from_arrays(list(frames), camera=self.camera)
        return _stacked([predictor.predict_proba(f.color, f.depth, camera=f.camera, up=f.up, maps=f.maps) for f in data])

    def score(self, frames: Sequence[FrameLike], labels: Sequence[np.ndarray]) -> float:
        """Pixel accuracy over all labelled pixels of all frames."""
        forest = self._fitted()
        data = Dataset.from_arrays(list(frames), list(labels), classes=self._names_fitted, camera=self.camera)
        return evaluate(forest, data, pictures=0, progress=False, **self._predict_options()).pixel_accuracy

    def _options(self) -> dict[str, Any]:
        given = {_OTHER_NAMES.get(name, name): value for name, value in self.get_params().items()}
        given["threads"] = threads_of(self.n_jobs)
        return {name: value for name, value in given.items() if name not in _NOT_OF_TRAINING}

    def _predict_options(self) -> dict[str, Any]:
        return {"device": self.device, "threads": threads_of(self.n_jobs), "smooth": self.smooth}

    def _fitted(self) -> Forest:
        if hasattr(self, "forest_"):
            return self.forest_
        sentence = "this PixelForest is not fitted yet; call fit() first"
        if "sklearn" in sys.modules:
            raise require("sklearn.exceptions", "PixelForest").NotFittedError(sentence)
        raise UsageError(sentence)

    def __sklearn_tags__(self):
        utils = require("sklearn.utils", "PixelForest in scikit-learn")
        return utils.Tags(
            estimator_type="classifier",
            target_tags=utils.TargetTags(required=True, one_d_labels=False, two_d_labels=False),
            classifier_tags=utils.ClassifierTags(),
            input_tags=utils.InputTags(two_d_array=False, three_d_array=True, allow_nan=True),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "forest_")

    def __repr__(self) -> str:
        changed = {name: value for name, value in self.get_params().items() if value is not _DEFAULTS.get(name)}
        return f"PixelForest({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


def _stacked(images: list[np.ndarray]) -> Union[np.ndarray, list[np.ndarray]]:
    return np.stack(images) if len({image.shape for image in images}) == 1 else images
