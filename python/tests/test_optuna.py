# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
import pytest

import fernwood
from fernwood.errors import UsageError

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


def test_wrong_arguments_are_told(train_set):
    with pytest.raises(UsageError, match='objective is "speed"; give'):
        ours.Objective(train_set, objective="speed")
    with pytest.raises(UsageError, match="folds is 9; give 2 to 8"):
        ours.Objective(train_set, folds=9)
