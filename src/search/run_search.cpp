// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/search/search.h"

namespace fernwood::search {

std::size_t VariantRow::num_blocks() const {
  return static_cast<std::size_t>(std::ranges::count_if(losses, [](double loss) { return loss == loss; }));
}

double VariantRow::mean_loss() const {
  double sum = 0;
  for (const double loss : losses) sum += loss == loss ? loss : 0;
  return sum / static_cast<double>(num_blocks());
}

// A stand-in until races are: the hand-made defaults on all blocks.
SearchReport run_search(Problem& problem, const SearchOptions& options, const SearchHooks& hooks) {
  SearchReport report;
  report.space = problem.space();
  report.seed = options.seed;
  TrialRow trial;
  trial.setting = report.space.standard();
  const std::vector<Setting> variants = problem.variants(trial.setting);
  for (const Setting& setting : variants) trial.variants.emplace_back().setting = setting;
  for (std::size_t block = 0; block < problem.num_blocks(); ++block) {
    FW_CHECK(!hooks.stop.stop_requested(), Interrupted, "the search was interrupted");
    report.block_order.push_back(block);
    const UnitResult result = problem.measure(trial.setting, variants, block, block == 0);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      trial.variants[i].losses.push_back(result.judged[i].loss);
      trial.variants[i].judged.push_back(result.judged[i]);
      if (block == 0) trial.variants[i].frame_ms = result.frame_ms[i];
    }
    ++report.units;
  }
  report.num_generations = 1;
  report.winner_variant = static_cast<std::size_t>(
      std::ranges::min_element(trial.variants, {}, &VariantRow::mean_loss) - trial.variants.begin());
  report.trials.push_back(trial);
  report.loss = report.loss_low = report.loss_high = report.winner().mean_loss();
  return report;
}

}  // namespace fernwood::search
