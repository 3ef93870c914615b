# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import pickle

import numpy as np
import pytest
from conftest import SMALL

import fernwood
from fernwood import _fernwood
from fernwood.errors import UsageError


@pytest.fixture(scope="module")
def frames(train_set):
    return [train_set.frame(index) for index in range(len(train_set))]


@pytest.fixture(scope="module")
def labels(frames):
    return [frame.labels for frame in frames]


@pytest.fixture(scope="module")
def fitted(frames, labels, train_set):
    return fernwood.PixelForest(classes=train_set.classes, camera=train_set.camera, **SMALL).fit(frames, labels)


def test_it_has_all_options_of_training():
    ours = set(fernwood.PixelForest().get_params())
    theirs = {"preset"} | {row["name"].replace("-", "_") for row in _fernwood.options()["train"]}
    assert theirs - ours == {"score", "threads"}  # named split_score and n_jobs here


def test_it_labels_frames(fitted, frames, labels):
    found = fitted.predict(frames[:3])
    assert (found.shape, found.dtype) == ((3, 72, 96), np.uint16)
    shares = fitted.predict_proba(frames[:2])
    assert shares.shape == (2, 72, 96, 9)
    known = [image != fernwood.VOID for image in labels[:3]]
    right = sum(int((found[i] == labels[i])[known[i]].sum()) for i in range(3))
    assert fitted.score(frames[:3], labels[:3]) == pytest.approx(right / sum(int(image.sum()) for image in known))
    different = fitted.predict([frames[0], (frames[1].color[:40], frames[1].depth[:40])])
    assert [image.shape for image in different] == [(72, 96), (40, 96)]


def test_numbers_are_classes_where_none_are_named(frames, labels):
    some = [np.where(image < 3, image, -1).astype(int) for image in labels]
    fitted = fernwood.PixelForest(camera=frames[0].camera, **SMALL).fit(frames, some, groups=list("aabbccdd"))
    assert fitted.classes_.tolist() == [0, 1, 2] and fitted.forest_.classes == ["0", "1", "2"]


def test_parameters_are_kept_as_they_are():
    channels = ["lab", "depth"]
    forest = fernwood.PixelForest(trees=7, channels=channels)
    assert forest.get_params()["channels"] is channels and forest.trees == 7
    assert forest.set_params(trees=8) is forest and forest.get_params()["trees"] == 8
    assert len(names := fernwood.PixelForest._names()) == len(set(names))
    assert repr(forest) == "PixelForest(trees=8, channels=['lab', 'depth'])"
    with pytest.raises(UsageError, match="no parameter 'tree'"):
        forest.set_params(tree=3)
    with pytest.raises(UsageError, match="max.depth"):
        fernwood.PixelForest(max_depth=99).fit([np.zeros((4, 4, 3), np.uint8)], [np.zeros((4, 4), int)])


def test_it_is_pickled(fitted, frames):
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict(frames[:1]), fitted.predict(frames[:1]))


def test_scikit_learn_takes_it_for_an_estimator(frames, labels, train_set, fitted):
    sklearn = pytest.importorskip("sklearn")
    from sklearn.base import clone, is_classifier
    from sklearn.exceptions import NotFittedError
    from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

    forest = clone(fitted)
    assert is_classifier(forest) and not hasattr(forest, "forest_")
    with pytest.raises(NotFittedError):
        forest.predict(frames)
    groups = [0, 0, 1, 1, 2, 2, 3, 3]
    scores = cross_val_score(forest, frames, labels, groups=groups, cv=GroupKFold(4), error_score="raise")
    assert scores.shape == (4,) and all(0.3 < score < 1 for score in scores)
    search = GridSearchCV(forest, {"trees": [1, 2]}, cv=GroupKFold(2), error_score="raise")
    assert search.fit(frames, labels, groups=groups).best_params_["trees"] in (1, 2)
    assert sklearn is not None
