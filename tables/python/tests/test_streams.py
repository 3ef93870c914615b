# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Trees trained on streams: equal to the program's, however the records are divided into parts."""
import os
import pickle
import subprocess

import fernwood_tables as ft
import numpy as np
import pytest
from fernwood_tables import streams

PROGRAM = os.environ.get("FERNWOOD_TABLES_PROGRAM")
SCHEDULES = {
    "fresh": {"samples_per_leaf": 100, "max_depth": 6},
    "hoeffding": {"batch": 500, "grace_period": 100, "failure_probability": 0.05, "max_depth": 6},
    "adaptive": {"batch": 250, "max_depth": 6, "drift_window": 200},
    "passes": {"max_depth": 6, "prune": True},
    "forest": {"trees": 3},
}


def draw(num_records=4000, seed=0):
    """Three clouds of classes, the last of which appears late."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, num_records)
    codes[: num_records // 4] %= 2
    values = random.standard_normal((num_records, 4)).astype(np.float32)
    values[:, 0] += codes
    values[:, 1] -= codes % 2
    values[random.integers(0, num_records, 50), 2] = np.nan
    return values, np.array(["pine", "oak", "fir"])[codes]


def bytes_of(forest, folder):
    forest.save(folder / "tree.fernwood")
    return (folder / "tree.fernwood").read_bytes()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_parts_do_not_matter_and_the_tree_so_far_is_that_of_a_stream_that_ends(schedule, tmp_path):
    values, labels = draw()

    def grown(num_records, part, peeks=False):
        tree = streams.StreamTree(schedule=schedule, workers=2, **SCHEDULES[schedule])
        for begin in range(0, num_records, part):
            end = min(begin + part, num_records)
            tree.feed(values[begin:end], labels[begin:end])
            if peeks:
                tree.tree()
        return bytes_of(tree.tree(), tmp_path)

    whole = grown(4000, 4000)
    assert grown(4000, 333) == whole and grown(4000, 1500, peeks=True) == whole
    assert grown(2500, 700) == grown(2500, 2500)


def drifting(num_records=6000):
    """Records whose class depends on them by another function from the middle on."""
    values = np.random.default_rng(3).random((num_records, 3), dtype=np.float32)
    labels = (values[:, 0] > 0.5) ^ (np.arange(num_records) >= num_records // 2)
    return values, labels.astype(int)


@pytest.mark.skipif(not PROGRAM, reason="FERNWOOD_TABLES_PROGRAM names no program to compare with")
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_program_grows_the_same_bytes(schedule, tmp_path):
    values, labels = draw()
    lines = [",".join([*(f"{v:.9g}" for v in row), label]) for row, label in zip(values, labels)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    words = [PROGRAM, "stream", "train", "--data", "t.csv", "--header", "no", "--out", "p.fernwood", "--schedule", schedule]
    for name, value in SCHEDULES[schedule].items():
        words += [f"--{name.replace('_', '-')}"] + ([] if value is True else [str(value)])
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    tree = streams.StreamTree(schedule=schedule, **SCHEDULES[schedule])
    for begin in range(0, 4000, 900):
        tree.feed(values[begin : begin + 900], labels[begin : begin + 900])
    assert bytes_of(tree.tree(), tmp_path) == (tmp_path / "p.fernwood").read_bytes()


@pytest.mark.parametrize(
    "wrong, error, sentence",
    [
        (lambda v, y: streams.StreamTree().tree(), "DataError", "no records"),
        (lambda v, y: streams.StreamTree(schedule="slow"), "UsageError", "schedule"),
        (lambda v, y: streams.StreamTree(bin=9), "UsageError", "did you mean bins"),
        (lambda v, y: streams.StreamTree(schedule="adaptive", max_leaves=9), "UsageError", "max_depth|max-depth"),
        (lambda v, y: streams.StreamTree(checkpoint="file"), "UsageError", 'there is no option "checkpoint"'),
        (lambda v, y: streams.StreamTree(device="cuda:99"), "DeviceError", "cuda"),
        (lambda v, y: streams.StreamTree().feed(v, y[:3]), "DataError", "one label for each"),
        (lambda v, y: streams.StreamTree().feed(v, y, attributes=["a"] * v.shape[1]), "UsageError", r"^attributes\[1\] is 'a'"),
    ],
)
def test_what_is_wrong_is_told(wrong, error, sentence):
    with pytest.raises(getattr(ft.errors, error), match=sentence):
        wrong(*draw(20))


def test_wrong_records_leave_the_tree_as_it_was(tmp_path):
    values, labels = draw(600)
    tree = streams.StreamTree(max_depth=4)
    tree.feed(values, labels)
    before = bytes_of(tree.tree(), tmp_path)
    with pytest.raises(ft.errors.DataError, match="3 attributes, and the model was trained on 4"):
        tree.feed(values[:, :3], labels)
    assert bytes_of(tree.tree(), tmp_path) == before
    with pytest.raises(TypeError, match="pickle what tree"):
        pickle.dumps(tree)


class TestClassifier:
    sklearn = pytest.importorskip("sklearn", minversion="1.6")

    @pytest.mark.parametrize("schedule", ["hoeffding", "adaptive"])
    def test_single_records_grow_the_tree_of_all(self, schedule, tmp_path):
        values, labels = draw(1500)
        one = streams.StreamTreeClassifier(schedule=schedule, n_jobs=1)
        right = 0
        for i, (row, label) in enumerate(zip(values, labels)):
            X = [row.tolist()] if i % 3 == 0 else row.reshape(1, -1).astype([np.float32, np.float64][i % 2])
            predicted = one.predict(X)[0] if i else None
            if i % 100 == 50:
                assert predicted == one.tree_.predict(row[None])[0]
                assert one.classes_[one.predict_proba(X)[0].argmax()] == predicted
            right += i >= 100 and predicted == label
            one.partial_fit(X, [label])
        assert one.prequential_.records == 1400 and round(one.prequential_.accuracy * 1400) == right
        whole = streams.StreamTreeClassifier(schedule=schedule).partial_fit(values, labels)
        assert bytes_of(one.tree_, tmp_path) == bytes_of(whole.tree_, tmp_path)
        assert np.array_equal(one.predict(values), whole.tree_.predict(values))

    def test_a_single_record_is_checked(self):
        values, labels = draw(500)
        model = streams.StreamTreeClassifier(schedule="adaptive").partial_fit(values, labels)
        for wrong in (values[:1, :3], [[1.0, 2.0, 3.0, np.inf]], [["a", "b", "c", "d"]], values[0], values[:1] + 1j):
            with pytest.raises(ValueError):
                model.predict(wrong)
            with pytest.raises(ValueError):
                model.partial_fit(wrong, ["oak"])
        with pytest.raises(ValueError):
            model.partial_fit(values[:1], [3])
        assert model.partial_fit(values[:1], ["yew"]).predict_proba(values[:2]).shape == (2, len(set(labels[:500]) | {"yew"}))

    def test_learns_and_predicts_at_any_time(self):
        values, labels = draw()
        model = streams.StreamTreeClassifier(schedule="fresh", samples_per_leaf=100)
        accuracies = []
        for begin in range(0, 4000, 1000):
            model.partial_fit(values[begin : begin + 1000], labels[begin : begin + 1000])
            accuracies.append(model.score(*draw(2000, seed=1)))
        assert accuracies[-1] > 0.6 and model.classes_.tolist() == ["fir", "oak", "pine"]
        shares = model.predict_proba(values)
        assert np.array_equal(model.predict(values), model.classes_[shares.argmax(axis=1)])

    def test_classes_that_have_not_come_have_a_column(self):
        values, labels = draw(300)
        model = streams.StreamTreeClassifier().partial_fit(values[:50], labels[:50], classes=["oak", "pine", "fir", "yew"])
        shares = model.predict_proba(values)
        assert shares.shape == (300, 4) and not shares[:, 3].any() and np.allclose(shares.sum(axis=1), 1)
        with pytest.raises(ValueError, match="'ash', which is not among"):
            model.partial_fit(values[:2], ["ash", "oak"])

    def test_a_forest_names_the_attributes_that_decide(self):
        values, labels = drifting()
        model = streams.StreamTreeClassifier(schedule="forest", trees=3).fit(values, labels)
        assert model.feature_importances_.argmax() == 0
        assert model.feature_importances_.sum() == pytest.approx(1)

    def test_the_usual_values_are_those_of_the_schedule(self, tmp_path):
        values, labels = drifting()
        model = streams.StreamTreeClassifier(schedule="adaptive").fit(values, labels)
        tree = streams.StreamTree(schedule="adaptive")
        tree.feed(values, labels)
        assert bytes_of(model.tree_, tmp_path) == bytes_of(tree.tree(), tmp_path)
        assert model.prequential_ == tree.prequential and model.prequential_.accuracy > 0.8

    def test_a_pickle_predicts_and_does_not_grow(self):
        values, labels = draw(500)
        model = streams.StreamTreeClassifier().partial_fit(values, labels)
        copy = pickle.loads(pickle.dumps(model))
        assert np.array_equal(copy.predict_proba(values), model.predict_proba(values))
        with pytest.raises(ft.errors.UsageError, match="cannot grow on"):
            copy.partial_fit(values, labels)
        copy.fit(values, labels)
        model.partial_fit(values, labels)


def draw_targets(num_records=4000, seed=0):
    """A target that depends on two of four attributes, with noise."""
    random = np.random.default_rng(seed)
    values = random.random((num_records, 4), dtype=np.float32)
    targets = 10 * (values[:, 0] > 0.4) + 3.0 * values[:, 1] + random.standard_normal(num_records)
    values[random.integers(0, num_records, 50), 2] = np.nan
    return values, targets


TARGET_SCHEDULES = [schedule for schedule in SCHEDULES if schedule != "adaptive"]


def options_of(schedule):
    return {name: value for name, value in SCHEDULES[schedule].items() if name != "prune"}


class TestRegression:
    @pytest.mark.skipif(not PROGRAM, reason="FERNWOOD_TABLES_PROGRAM names no program to compare with")
    @pytest.mark.parametrize("schedule", TARGET_SCHEDULES)
    def test_the_program_grows_the_same_bytes(self, schedule, tmp_path):
        values, targets = draw_targets()
        lines = [",".join([*(f"{v:.9g}" for v in row), repr(float(target))]) for row, target in zip(values, targets)]
        (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
        words = [PROGRAM, "stream", "train", "--task", "regression", "--data", "t.csv", "--header", "no"]
        words += ["--out", "p.fernwood", "--schedule", schedule]
        for name, value in options_of(schedule).items():
            words += [f"--{name.replace('_', '-')}", str(value)]
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
        tree = streams.StreamTree(task="regression", schedule=schedule, **options_of(schedule))
        tree.feed(values, targets)
        assert bytes_of(tree.tree(), tmp_path) == (tmp_path / "p.fernwood").read_bytes()

    def test_refused_targets_leave_the_tree_as_it_was(self):
        values, targets = draw_targets(300)
        with pytest.raises(ft.errors.DataError, match="target 2 is nan"):
            streams.StreamTree(task="regression").feed(values, np.where(np.arange(300) == 2, np.nan, targets))
        tree = streams.StreamTree(task="regression", schedule="hoeffding", batch=100)
        tree.feed(values, targets)
        with pytest.raises(ft.errors.DataError, match="record 301 has the target .*first batch"):
            tree.feed(values, targets + 1e6)
        tree.feed(values, targets)
        assert tree.num_records == 600

    @pytest.mark.parametrize("schedule", TARGET_SCHEDULES)
    def test_the_estimator_learns_and_predicts_at_any_time(self, schedule, tmp_path):
        pytest.importorskip("sklearn", minversion="1.6")
        values, targets = draw_targets()
        model = streams.StreamTreeRegressor(schedule=schedule, **options_of(schedule))
        for begin in range(0, 4000, 1000):
            model.partial_fit(values[begin : begin + 1000], targets[begin : begin + 1000])
            assert model.predict(values).shape == (4000,)
        assert model.score(*draw_targets(2000, seed=1)) > 0.75
        tree = streams.StreamTree(task="regression", schedule=schedule, **options_of(schedule))
        tree.feed(values, targets)
        assert bytes_of(model.tree_, tmp_path) == bytes_of(tree.tree(), tmp_path)
        copy = pickle.loads(pickle.dumps(model))
        assert np.array_equal(copy.predict(values), model.predict(values))
        assert copy.prequential_.records == model.prequential_.records
        with pytest.raises(ft.errors.UsageError, match="a regressor .* cannot grow on"):
            copy.partial_fit(values, targets)
        copy.fit(values, targets).partial_fit(values, targets)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_scikit_learns_own_checks_of_the_classifier(schedule):
    pytest.importorskip("sklearn", minversion="1.6")
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(streams.StreamTreeClassifier(schedule=schedule), on_skip=None)


@pytest.mark.parametrize("schedule", TARGET_SCHEDULES)
def test_scikit_learns_own_checks_of_the_regressor(schedule):
    pytest.importorskip("sklearn", minversion="1.6")
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(streams.StreamTreeRegressor(schedule=schedule), on_skip=None)
