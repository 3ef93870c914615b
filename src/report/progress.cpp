// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Progress of long work, in the words of the program's progress bar.

#include "fernwood/core/text.h"
#include "fernwood/report/evaluation.h"
#include "fernwood/report/search.h"

namespace fernwood::report {

namespace {

std::string growing_text(const train::TrainProgress& now) {
  const std::string stage =
      now.stages > 1 ? "stage " + std::to_string(now.stage + 1) + " of " + std::to_string(now.stages) + ", " : "";
  const std::string text = stage + "tree " + std::to_string(now.tree + 1) + " of " + std::to_string(now.trees) +
                           ", level " + std::to_string(now.level + 1) + ", " + format_count(now.nodes) + " nodes";
  return text + (now.ranks > 1 ? ", " + std::to_string(now.ranks) + " ranks" : "") +
         (now.out_of_bag ? format_text(", out of bag %.1f %%", 100 * *now.out_of_bag) : "");
}

std::string racing_text(const search::SearchProgress& now) {
  std::string text = "batch " + std::to_string(now.batch + 1) + ", fold " + std::to_string(now.fold + 1) + " of " +
                     std::to_string(now.num_folds) + ", " + std::to_string(now.trials_alive) + " of " +
                     std::to_string(now.trials) + " alive";
  if (!now.leaders.empty())
    text += ", trial " + std::to_string(now.leaders.front().trial) + " leads with loss " +
            format_text("%.4f", now.leaders.front().loss);
  return text;
}

}  // namespace

ProgressWords progress_words(const train::TrainProgress& progress) {
  using Phase = train::TrainProgress::Phase;
  const bool grows = progress.phase == Phase::kGrowing || progress.phase == Phase::kGrowingAgain;
  return {to_string(progress.phase), grows ? growing_text(progress) : "", progress.done};
}

ProgressWords progress_words(const search::SearchProgress& progress) {
  if (!progress.after.empty()) return {"finishing", progress.after, progress.done};
  return {"racing", racing_text(progress), progress.done};
}

ProgressWords progress_words(const search::StudyProgress& progress) {
  if (progress.base) return {"the base", progress.work, progress.done};
  return {"variants", progress.variant + ", " + progress.work, progress.done};
}

}  // namespace fernwood::report
