// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"
#include "fernwood/search/report.h"

namespace fernwood::search {

namespace {

std::string racing_text(const SearchProgress& now) {
  std::string text = "batch " + std::to_string(now.batch + 1) + ", fold " + std::to_string(now.fold + 1) + " of " +
                     std::to_string(now.num_folds) + ", " + std::to_string(now.trials_alive) + " of " +
                     std::to_string(now.trials) + " alive";
  if (!now.leaders.empty())
    text += ", trial " + std::to_string(now.leaders.front().trial) + " leads with loss " +
            format_text("%.4f", now.leaders.front().loss);
  return text;
}

}  // namespace

ProgressWords progress_words(const SearchProgress& progress) {
  if (!progress.after.empty()) return {"finishing", progress.after, progress.done};
  return {"racing", racing_text(progress), progress.done};
}

}  // namespace fernwood::search
