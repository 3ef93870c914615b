// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/grow_tree.h"

#include <vector>

#include "fernwood/core/progress.h"

namespace fernwood::train {

void grow_tree(GrowingTree& growing, const TrainOptions& options, TreeLevels& levels, const GrowHooks& hooks) {
  for (OpenNodes nodes(growing); nodes.size() > 0;) {
    hooks.level_begins(growing, nodes);
    const double start = seconds_now();
    LevelReport report;
    report.level = growing.level;
    report.nodes = nodes.size();
    report.samples = nodes.num_samples();
    report.responses = nodes.num_samples() * static_cast<std::uint64_t>(options.features);

    const LevelOutcome outcome = levels.find_splits(nodes, static_cast<std::uint32_t>(growing.level));
    const std::vector<std::uint32_t> children = split_nodes(growing, outcome, options);
    nodes = OpenNodes(growing);
    levels.descend(children, nodes);

    report.stages = levels.take_seconds();
    report.seconds = seconds_now() - start;
    hooks.level_done(growing, report);
  }
}

}  // namespace fernwood::train
