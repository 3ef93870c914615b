// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_grower.h"

#include <algorithm>

#include "stream/grow/stopwatch.h"
#include "stream/grow/stream_checkpoint.h"

namespace fernwood {

/// Writes a checkpoint if it is time for one, and ends where rank 0 was asked to.
void StreamGrower::keep_or_stop() {
  struct Wish {
    bool save, stop;
  } wish{};
  if (communicator_.rank() == 0) {
    const bool due = seconds_now() - saved_at_s_ >= work_.checkpoint_every_s;
    wish = {!work_.checkpoint.empty() && (due || stop_), stop_ != nullptr};
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

/// What is counted in the open leaves, attribute by attribute, as this process has it.
std::vector<Bytes> StreamGrower::counted_bytes() {
  std::vector<std::size_t> slots;
  for (const OpenLeaf& leaf : open_)
    if (leaf.slot >= 0) slots.push_back(static_cast<std::size_t>(leaf.slot));
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
  const std::vector<Bytes> received = communicator_.exchange(std::move(outgoing));
  saved_at_s_ = seconds_now();
  if (communicator_.rank() != 0) return;
  Bytes state;
  Packer packer(state);
  packer.put(feeder_.data_checksum());
  if (!in_passes()) feeder_.pack(packer);
  tree_.pack(packer);
  packer.put(open_);
  packer.put(free_slots_);
  packer.put(std::uint64_t{num_slots_});
  packer.put(std::vector<std::uint32_t>(totals_.begin(), totals_.end()));
  packer.put(round_read_);
  packer.put(std::uint64_t{received.size()});
  for (const Bytes& bytes : received) packer.put(bytes);
  save_stream_checkpoint(state, to_json(options_), work_.checkpoint);
}

void StreamGrower::resume() {
  Bytes state;
  if (communicator_.rank() == 0) state = load_stream_checkpoint(work_.checkpoint, to_json(options_));
  state = std::move(communicator_.gather_all(state)[0]);
  Unpacker unpacker(state);
  unpacker.get(resumed_checksum_);
  if (!in_passes()) feeder_.unpack(unpacker);
  tree_.unpack(unpacker);
  unpacker.get(open_);
  if (in_passes()) return;
  unpacker.get(free_slots_);
  num_slots_ = unpacker.get<std::uint64_t>();
  std::vector<std::uint32_t> totals;
  unpacker.get(totals);
  totals_ = round_ = Array2<std::uint32_t>(num_slots_, tree_.num_classes());
  FW_CHECK(totals.size() == totals_.size(), Model, "the checkpoint's leaves and counts disagree; train anew");
  std::ranges::copy(totals, totals_.begin());
  unpacker.get(round_read_);
  share_ = share_of(static_cast<std::size_t>(communicator_.rank()), ranks_, feeder_.layout().num_attributes);
  backend_->reset(feeder_.layout(), num_slots_);
  add_counted(unpacker);
}

/// What the processes of the run before have counted goes to one of those that count the attribute now.
void StreamGrower::add_counted(Unpacker& unpacker) {
  std::vector<std::size_t> slots;
  for (const OpenLeaf& leaf : open_)
    if (leaf.slot >= 0) slots.push_back(static_cast<std::size_t>(leaf.slot));
  const auto num_parts = unpacker.get<std::uint64_t>();
  for (std::uint64_t part = 0; part < num_parts; ++part) {
    Bytes of_all, counted;
    unpacker.get(of_all);
    Unpacker attributes(of_all);
    for (std::size_t a = 0; a < feeder_.layout().num_attributes; ++a) {
      attributes.get(counted);
      if (!counted.empty() && share_.record_part == 0 && a >= share_.counted.begin && a < share_.counted.end)
        backend_->add(slots, {a, a + 1}, counted, 0);
    }
  }
}

}  // namespace fernwood
