# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import pytest

import fernwood
from fernwood.errors import OperationError, UsageError

optuna = pytest.importorskip("optuna")

import fernwood.optuna as ours  # noqa: E402  after the skip

SPACE = """
trees = {low = 1, high = 3}
samples_per_frame = {value = 50}
features = {low = 10, high = 30, log = true}
thresholds = {value = 10}
max_depth = {low = 2, high = 3}
cascade = {value = "1"}
"""


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    path = tmp_path_factory.mktemp("space") / "space.toml"
    path.write_text(SPACE)
    return path


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_a_study_goes_on_and_its_best_options_train(train_set, space, tmp_path):
    for seed in (1, 2):
        study = ours.create_study(train_set, journal=tmp_path / "journal", space=space, seed=seed)
        study.optimize(ours.Objective(train_set, space=space, folds=3), n_trials=3)
    assert len(study.trials) == 6 and 0 < study.best_value < 1
    assert study.trials[0].params["trees"] == 3  # the value in the space nearest to the default
    forest = fernwood.train(train_set, progress=False, **study.best_params)
    assert forest.num_trees == study.best_params["trees"]


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_a_pruned_trial_has_seen_some_folds(train_set, space):
    class Impatient(optuna.pruners.BasePruner):
        def prune(self, study, trial):
            return len(trial.intermediate_values) == 2

    study = optuna.create_study(pruner=Impatient())
    study.optimize(ours.Objective(train_set, space=space, folds=4), n_trials=1)
    assert list(study.trials[0].intermediate_values) == [0, 1]


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_loss_against_time(train_set, space):
    study = ours.create_study(train_set, space=space, with_time=True)
    study.optimize(ours.Objective(train_set, space=space, folds=2, with_time=True, threads=1), n_trials=2)
    assert all(0 < loss < 1 and milliseconds > 0 for loss, milliseconds in (trial.values for trial in study.trials))


def test_options_are_checked_at_once_and_are_not_varied(train_set, space):
    with pytest.raises(UsageError, match='there is no option "tres" .did you mean trees'):
        ours.Objective(train_set, space=space, tres=4)
    with pytest.raises(UsageError, match='threads is "lots"'):
        ours.Objective(train_set, space=space, threads="lots")
    with pytest.raises(UsageError, match="trees is 0"):
        ours.Objective(train_set, space=space, trees=0)
    objective = ours.Objective(train_set, space=space, folds=2, trees=2, device=None)
    assert "features" in objective.space and "trees" not in objective.space
    study = optuna.create_study()
    study.optimize(objective, n_trials=1)
    assert "trees" not in study.best_params


def test_each_training_optimizes_class_weights(train_set, space, monkeypatch):
    goals = []

    def trained(*data, **options):
        goals.append(options["optimize"])
        return fernwood.train(*data, **options)

    monkeypatch.setattr(ours, "train", trained)
    objective = ours.Objective(train_set, space=space, folds=2, optimize="iou")
    optuna.create_study().optimize(objective, n_trials=1)
    assert goals == ["iou", "iou"]
    with pytest.raises(UsageError, match='optimize is "speed"'):
        ours.Objective(train_set, space=space, optimize="speed")


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_a_journal_keeps_its_number_of_objectives(train_set, space, tmp_path):
    ours.create_study(train_set, journal=tmp_path / "journal", space=space)
    with pytest.raises(UsageError, match="was created with with_time=False, and with_time is True; give"):
        ours.create_study(train_set, journal=tmp_path / "journal", space=space, with_time=True)
    assert len(ours.create_study(train_set, journal=tmp_path / "journal", space=space).directions) == 1


def test_a_journal_that_cannot_be_written_is_told(train_set, space, tmp_path):
    with pytest.raises(OperationError, match="is a folder; name a file in it"):
        ours.create_study(train_set, journal=tmp_path, space=space)
    with pytest.raises(OperationError, match="the folder .*missing does not exist; create it"):
        ours.create_study(train_set, journal=tmp_path / "missing" / "journal", space=space)


def test_wrong_arguments_are_told(train_set):
    with pytest.raises(UsageError, match='objective is "speed"; give'):
        ours.Objective(train_set, objective="speed")
    with pytest.raises(UsageError, match="folds is 9; use 2 to 8"):
        ours.Objective(train_set, folds=9)
