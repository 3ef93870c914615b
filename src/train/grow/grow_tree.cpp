// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/grow/grow_tree.h"

#include <vector>

#include "fernwood/core/progress.h"
#include "train/grow/candidates.h"

namespace fernwood::train {

void grow_tree(GrowingTree& growing, std::uint32_t tree, const TrainOptions& options, const TreeChannels& channels,
               LevelBackend& backend, ThreadPool& pool, const GrowHooks& hooks) {
  LevelCandidates candidates(options, tree, channels, backend, pool);
  for (OpenNodes nodes(growing); nodes.size() > 0;) {
    hooks.level_begins(growing, nodes);
    const double start = seconds_now();
    LevelReport report;
    report.level = growing.level;
    report.nodes = nodes.size();
    report.samples = nodes.num_samples();
    report.responses = nodes.num_samples() * static_cast<std::uint64_t>(options.features);

    candidates.begin_level(nodes, static_cast<std::uint32_t>(growing.level));
    while (const std::optional<CandidateChunk> chunk = candidates.next_chunk())
      backend.evaluate(nodes, *chunk, options);
    const std::vector<std::uint32_t> children = split_nodes(growing, backend.choose(nodes), options);
    nodes = OpenNodes(growing);
    backend.descend(children, nodes);

    report.stages = backend.take_seconds();
    report.seconds = seconds_now() - start;
    hooks.level_done(growing, report);
  }
}

}  // namespace fernwood::train
