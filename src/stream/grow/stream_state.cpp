// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_grower.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "stream/grow/stopwatch.h"
#include "stream/grow/stream_checkpoint.h"

namespace fernwood::stream {

namespace {

constexpr std::int32_t kMostTests = 1 << 30;  ///< Of a leaf; each takes many records.

}  // namespace

/// Writes a checkpoint if it is time for one, and ends where rank 0 was asked to.
void StreamGrower::keep_or_stop() {
  struct Wish {
    bool save, stop;
  } wish{};
  if (communicator_.rank() == 0) {
    const bool due = seconds_now() - saved_at_s_ >= work_.checkpoint_every_s;
    wish = {!work_.checkpoint.empty() && (due || stop_ || feeder_.stopped()), stop_ != nullptr || feeder_.stopped()};
  }
  if (communicator_.size() > 1) {
    const Stopwatch communicating(report_.times.communicate_s);
    Bytes bytes;
    Packer(bytes).put(wish);
    const std::vector<Bytes> wishes = communicator_.gather_all(bytes);
    Unpacker(wishes[0]).get(wish);
  }
  if (wish.save) save();
  if (wish.stop) stop();
}

void StreamGrower::stop() {
  if (stop_) std::rethrow_exception(stop_);
  FW_CHECK(false, Interrupted, "interrupted");
}

std::vector<std::size_t> StreamGrower::counting_slots() const {
  std::vector<std::size_t> slots;
  for (const OpenLeaf& leaf : open_)
    if (leaf.slot >= 0) slots.push_back(static_cast<std::size_t>(leaf.slot));
  return slots;
}

/// What is counted in the open leaves, attribute by attribute, as this process has it.
std::vector<Bytes> StreamGrower::counted_bytes() {
  const std::vector<std::size_t> slots = counting_slots();
  backend_->merge(slots, share_.counted);
  std::vector<Bytes> counted(feeder_.layout().num_attributes);
  for (std::size_t a = share_.counted.begin; a < share_.counted.end; ++a) {
    backend_->take(slots, {a, a + 1}, counted[a]);
    backend_->add(slots, {a, a + 1}, counted[a], 0);
  }
  return counted;
}

void StreamGrower::save() {
  const Stopwatch saving(report_.times.checkpoint_s);
  std::vector<Bytes> outgoing(static_cast<std::size_t>(communicator_.size()));
  Packer mine(outgoing[0]);
  // In passes a level begins with nothing counted.
  if (!in_passes())
    for (const Bytes& bytes : counted_bytes()) mine.put(bytes);
  const std::vector<Bytes> counted = communicator_.exchange(std::move(outgoing));
  if (communicator_.rank() == 0) save_stream_checkpoint(state_with(counted), to_json(options_), work_.checkpoint);
  // Nobody goes on, or ends, before it is written.
  communicator_.gather_all({});
  saved_at_s_ = seconds_now();
}

/// All that going on needs. @param counted  [rank] What each has counted.
Bytes StreamGrower::state_with(const std::vector<Bytes>& counted) const {
  Bytes state;
  Packer packer(state);
  feeder_.pack(packer);
  tree_.pack(packer);
  packer.put(std::uint64_t{open_.size()});
  for (const OpenLeaf& leaf : open_) {
    const bool has_counted = leaf.slot >= 0 && !in_passes();
    packer.put(leaf.node);
    packer.put(leaf.tests);
    packer.put(std::uint8_t{has_counted});
    if (!has_counted) continue;
    const std::uint32_t* const totals = totals_.row(static_cast<std::size_t>(leaf.slot));
    packer.put(leaf.seen_at_test);
    packer.put(std::vector<std::uint32_t>(totals, totals + totals_.cols()));
  }
  if (in_passes()) return state;
  packer.put(round_read_);
  packer.put(std::uint64_t{counted.size()});
  for (const Bytes& bytes : counted) packer.put(bytes);
  return state;
}

void StreamGrower::resume() {
  Bytes state;
  if (communicator_.rank() == 0) state = load_stream_checkpoint(work_.checkpoint, to_json(options_));
  state = std::move(communicator_.gather_all(state)[0]);
  try {
    Unpacker unpacker(state);
    unpack(unpacker);
    FW_CHECK(unpacker.place() == state.size(), Model, "it is longer than what it tells");
  } catch (const Error& error) {
    throw Error(ErrorKind::kModel, work_.checkpoint.string() + ": the checkpoint cannot be gone on from, because " +
                                       error.what() + "; train without --resume");
  }
  feeder_.begin_again();
}

void StreamGrower::unpack(Unpacker& unpacker) {
  feeder_.unpack(unpacker);
  const std::size_t num_attributes = feeder_.attributes().size(), num_classes = feeder_.classes().size();
  tree_.unpack(unpacker, num_attributes, num_classes, options_.max_depth);
  open_.clear();
  std::vector<std::uint32_t> totals;
  for (auto left = unpacker.get<std::uint64_t>(); left > 0; --left) open_.push_back(unpack_leaf(unpacker, totals));
  if (in_passes()) return;
  totals_ = round_ = Array2<std::uint32_t>(num_slots_, num_classes);
  std::ranges::copy(totals, totals_.begin());
  unpacker.get(round_read_);
  share_ = share_of(static_cast<std::size_t>(communicator_.rank()), ranks_, num_attributes);
  backend_->reset(feeder_.layout(), num_slots_);
  add_counted(unpacker);
}

/// @param totals  Those of leaves with slots, which follow each other, are added at the end.
OpenLeaf StreamGrower::unpack_leaf(Unpacker& unpacker, std::vector<std::uint32_t>& totals) {
  OpenLeaf leaf;
  unpacker.get(leaf.node);
  unpacker.get(leaf.tests);
  const auto num_nodes = static_cast<std::int64_t>(tree_.nodes().size());
  const std::int32_t before = open_.empty() ? -1 : open_.back().node;
  FW_CHECK(
      leaf.node > before && leaf.node < num_nodes && tree_.nodes()[static_cast<std::size_t>(leaf.node)].is_leaf() &&
          tree_.depth(leaf.node) < options_.max_depth && leaf.tests >= 0 && leaf.tests < kMostTests,
      Model, "node " << leaf.node << " of " << num_nodes << ", tested " << leaf.tests << " times, is no open leaf");
  if (unpacker.get<std::uint8_t>() == 0) return leaf;
  std::vector<std::uint32_t> counts;
  unpacker.get(leaf.seen_at_test);
  unpacker.get(counts);
  leaf.seen = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  // What a leaf has counted it has seen.
  FW_CHECK(std::ranges::equal(counts, tree_.counts(leaf.node), std::less_equal<>()) && leaf.seen <= 2 * kMostCounted &&
               leaf.seen_at_test <= leaf.seen,
           Model, "the open leaf " << leaf.node << " has counted " << leaf.seen << " records, and seen others");
  totals.insert(totals.end(), counts.begin(), counts.end());
  leaf.slot = static_cast<std::int32_t>(num_slots_++);
  return leaf;
}

/// What the processes of the run before have counted goes to one of those that count the attribute now.
void StreamGrower::add_counted(Unpacker& unpacker) {
  const std::vector<std::size_t> slots = counting_slots();
  for (auto part = unpacker.get<std::uint64_t>(); part > 0; --part) {
    Bytes of_all, counted;
    unpacker.get(of_all);
    Unpacker attributes(of_all);
    for (std::size_t a = 0; a < feeder_.layout().num_attributes; ++a) {
      attributes.get(counted);
      if (counted.empty() || share_.record_part != 0 || a < share_.counted.begin || a >= share_.counted.end) continue;
      FW_CHECK(backend_->add(slots, {a, a + 1}, counted, 0) == counted.size(), Model,
               "there are more counts of attribute " << a << " than leaves that count");
    }
  }
}

}  // namespace fernwood::stream
