// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_grower.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "records/tables/class_numbers.h"
#include "stream/grow/mdl_prune.h"
#include "stream/grow/stopwatch.h"

namespace fernwood::stream {

namespace {

constexpr int kFractionBits = 28;

/// Classes as a table has them, not as they came. @param seen  [class] Names in the order of the leaves' values.
void sort_classes(const std::vector<std::string>& seen, records::RecordForest& forest) {
  const std::vector<std::int32_t> places = records::sorted_places(seen);
  forest.classes.resize(seen.size());
  for (std::size_t c = 0; c < seen.size(); ++c) forest.classes[static_cast<std::size_t>(places[c])] = seen[c];
  for (records::RecordTree& tree : forest.trees) {
    Array2<std::int32_t> sorted(tree.num_leaves(), seen.size());
    for (std::size_t leaf = 0; leaf < sorted.rows(); ++leaf)
      for (std::size_t c = 0; c < seen.size(); ++c)
        sorted(leaf, static_cast<std::size_t>(places[c])) = tree.leaf_values(leaf, c);
    tree.leaf_values = std::move(sorted);
  }
}

}  // namespace

StreamGrower::StreamGrower(RecordSource* source, const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
                           Communicator& communicator, const StreamProgressCallback& progress)
    : options_(options),
      work_(work),
      communicator_(communicator),
      progress_(progress),
      ranks_(divide_among_ranks(work.parallel, static_cast<std::size_t>(communicator.size()))),
      feeder_(source, options, ranks_, pool, communicator),
      backend_(make_stream_backend(options, work, pool)) {
  open_.emplace_back();
}

records::RecordForest StreamGrower::grow() {
  const Stopwatch total(report_.times.total_s);
  saved_at_s_ = seconds_now();
  if (work_.resume) resume();
  if (in_passes()) read_all();
  std::vector<FoundSplit> found;
  while (!open_.empty() && count_round(found)) {
    split_decided(std::move(found));
    found.clear();
    ++report_.rounds;
    keep_or_stop();
  }
  FW_CHECK(!feeder_.classes().empty(), Data, "the stream has no records; give at least one");
  return finish();
}

/// Makes splits, those that gain most first where leaves are limited.
void StreamGrower::split_decided(std::vector<FoundSplit> found) {
  if (feeder_.stopped()) return;  // in the middle of a round
  const auto weight = [&](const FoundSplit& f) {
    return f.gain * static_cast<double>(std::accumulate(f.totals.begin(), f.totals.end(), std::uint64_t{0}));
  };
  if (options_.max_leaves > 0) {
    std::ranges::stable_sort(found, [&](const FoundSplit& a, const FoundSplit& b) { return weight(a) > weight(b); });
    const std::size_t room = static_cast<std::size_t>(options_.max_leaves) - tree_.num_leaves();
    found.resize(std::min(found.size(), room));
    std::ranges::sort(found, {}, &FoundSplit::leaf);
  }
  std::vector<std::uint8_t> splits(open_.size());
  std::vector<OpenLeaf> children;
  for (const FoundSplit& f : found) {
    const std::int32_t node = open_[f.leaf].node;
    tree_.split(node, f.search.best, f.search.left, f.totals);
    splits[f.leaf] = 1;
    for (std::int32_t side = 0; side < 2; ++side)
      if (const std::int32_t child = tree_.nodes()[static_cast<std::size_t>(node)].child + side; may_open(child))
        children.push_back({.node = child});
  }
  close_and_open(splits, std::move(children));
}

/// Whether a new leaf may be split in its turn.
bool StreamGrower::may_open(std::int32_t leaf) const {
  if (tree_.depth(leaf) >= options_.max_depth) return false;
  // In passes all that it will see is known, but where sketches guess.
  return !in_passes() || options_.sketch == SketchKind::kBenHaim || may_split(tree_.counts(leaf), options_);
}

/// @param splits  [open leaf] Whether it was split.
void StreamGrower::close_and_open(const std::vector<std::uint8_t>& splits, std::vector<OpenLeaf> children) {
  const bool full = options_.max_leaves > 0 && tree_.num_leaves() >= static_cast<std::size_t>(options_.max_leaves);
  std::vector<OpenLeaf> open;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const OpenLeaf& leaf = open_[i];
    // One that was searched in vain is closed; one of few records or a single class waits for more.
    const bool had_its_chance =
        options_.schedule == Schedule::kFresh && options_.failure_probability == 0 && leaf.seen_at_test > 0;
    const bool stays = !splits[i] && !in_passes() && !had_its_chance && !full;
    if (stays) {
      open.push_back(leaf);
      continue;
    }
    if (leaf.slot >= 0) free_slots_.push_back(leaf.slot);
    if (!splits[i]) tree_.set_slot(leaf.node, kNoSlot);
  }
  if (!full) open.insert(open.end(), children.begin(), children.end());
  open_ = std::move(open);
}

void StreamGrower::tell(double fraction) {
  if (!progress_ || communicator_.rank() != 0) return;
  StreamProgress now;
  now.records = feeder_.num_records();
  now.leaves = tree_.num_leaves();
  now.open_leaves = open_.size();
  now.depth = open_.empty() ? 0 : tree_.depth(open_.back().node);
  now.fraction = fraction;
  try {
    progress_(now);
  } catch (...) {
    stop_ = std::current_exception();
    feeder_.ask_to_stop();
  }
}

records::RecordForest StreamGrower::finish() {
  report_.leaves_before_pruning = tree_.num_leaves();
  if (options_.prune) prune_by_mdl(tree_, feeder_.attributes().size(), static_cast<std::size_t>(options_.bins) - 1);
  report_.leaves = tree_.num_leaves();
  report_.records = feeder_.num_records();
  Bytes bytes;
  Packer(bytes).put(feeder_.data_checksum());
  bytes = communicator_.gather_all(bytes)[0];
  records::RecordForest forest;
  forest.attributes = feeder_.attributes();
  forest.fraction_bits = kFractionBits;
  forest.base.assign(feeder_.classes().size(), 0);
  forest.trees.push_back(tree_.finish(kFractionBits));
  sort_classes(feeder_.classes(), forest);
  forest.options_json = to_json(options_);
  forest.provenance_json = nlohmann::json{{"records", feeder_.num_records()},
                                          {"attributes", forest.attributes.size()},
                                          {"checksum", to_hex(Unpacker(bytes).get<std::uint64_t>())}}
                               .dump();
  report_.depth = forest.trees[0].depth();
  return forest;
}

namespace {

/// What all processes would find wrong is told by one, while the others wait.
void check(const StreamOptions& options, const StreamWork& work, int num_ranks) {
  options.check();
  divide_among_ranks(work.parallel, static_cast<std::size_t>(num_ranks));
  FW_CHECK(!work.resume || !work.checkpoint.empty(), Usage,
           "--resume needs a checkpoint to go on from; give --checkpoint");
  if (!work.checkpoint.empty()) check_writable(work.checkpoint);
}

}  // namespace

records::RecordForest train_stream(RecordSource* source, const StreamOptions& options, const StreamWork& work,
                                   ThreadPool& pool, Communicator& communicator, const StreamProgressCallback& progress,
                                   StreamReport* report) {
  if (communicator.rank() == 0) check(options, work, communicator.size());
  communicator.gather_all({});
  StreamGrower grower(source, options, work, pool, communicator, progress);
  records::RecordForest forest = grower.grow();
  if (report) *report = grower.report();
  return forest;
}

}  // namespace fernwood::stream
