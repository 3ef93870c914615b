// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_grower.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fernwood/core/machine.h"
#include "fernwood/core/text.h"
#include "stream/grow/stopwatch.h"

namespace fernwood::stream {

namespace {

constexpr std::size_t kHeldBytes = sizeof(float) + sizeof(std::uint8_t);  ///< Of a value in passes.
constexpr std::size_t kBatchRecords = 65536;  ///< Read at a time, so that memory holds few that are not counted yet.

}  // namespace

/// Records of this process, until the stream ends.
void StreamGrower::read_all() {
  Stopwatch reading(report_.times.read_s);
  records::RecordTable batch;
  const std::size_t there = available_memory_bytes();
  std::size_t needed = 0;
  while (feeder_.read(kBatchRecords, batch)) {
    needed += batch.values.size() * kHeldBytes;
    FW_CHECK(there == 0 || needed <= there, Resource,
             "--schedule passes keeps all records: the first "
                 << feeder_.num_records() << " take " << format_bytes(needed) << " here, and " << format_bytes(there)
                 << " are available; give --schedule fresh or hoeffding, or more processes on more machines");
    FW_CHECK(feeder_.num_records() <= 2 * kMostCounted, Usage,
             "--schedule passes is for at most " << 2 * kMostCounted
                                                 << " records, and the stream has more; give fresh or hoeffding");
    unheld_.push_back(std::move(batch));
    tell(-1);
  }
  if (feeder_.stopped()) stop();
  if (work_.resume) feeder_.check_read_again();
  if (unheld_.empty()) return;
  feeder_.review();
  start_again();
  for (records::RecordTable& table : unheld_) {
    feeder_.widen(table);
    num_held_ += table.labels.size();
  }
  held_ = backend_->hold_all(std::exchange(unheld_, {}));
}

/// Counts records in the open leaves and searches those that are due. @return Whether there were records to count.
bool StreamGrower::count_round(std::vector<FoundSplit>& found) {
  if (!in_passes()) return count_fresh(found);
  if (held_.empty()) return false;
  count_pass(found);
  return true;
}

/// All records again; as many leaves at a time as memory has slots for.
void StreamGrower::count_pass(std::vector<FoundSplit>& found) {
  const std::size_t fit = slots_that_fit();
  for (std::size_t begin = 0; begin < open_.size(); begin += fit) {
    const std::size_t end = std::min(begin + fit, open_.size());
    give_slots(begin, end);
    const double closed = share_of_closed();
    for (const auto& records : held_) {
      count(*records);
      tell(closed);
    }
    report_.updates += num_held_ * share_.counted.size();
    add_round_totals();
    std::vector<std::size_t> leaves(end - begin);
    std::iota(leaves.begin(), leaves.end(), begin);
    search(std::move(leaves), found);
  }
}

/// New records, and what leaves have counted before.
bool StreamGrower::count_fresh(std::vector<FoundSplit>& found) {
  const std::uint64_t wanted = round_records();
  bool has_counted = false;
  if (round_read_ == 0) start_full_again();
  while (round_read_ < wanted && !ended_) {
    records::RecordTable batch;
    const std::uint64_t before = feeder_.num_records();
    {
      const Stopwatch reading(report_.times.read_s);
      if (!feeder_.read(static_cast<std::size_t>(std::min<std::uint64_t>(kBatchRecords, wanted - round_read_)),
                        batch)) {
        ended_ = !feeder_.stopped();
        break;
      }
      const bool begins = round_read_ == 0;
      const bool grown = batch.attributes.size() != feeder_.layout().num_attributes ||
                         batch.classes.size() != feeder_.layout().num_classes;
      round_read_ += feeder_.num_records() - before;
      if ((begins || grown) && feeder_.review()) {
        if (has_counted) add_round_totals();
        start_again();
      }
    }
    give_slots(0, open_.size());
    count(*backend_->hold(batch.view(), batch.labels));
    report_.updates += batch.labels.size() * share_.counted.size();
    has_counted = true;
    tell(-1);
  }
  if (has_counted) add_round_totals();
  if (feeder_.stopped()) return true;
  if (round_read_ == 0) return false;
  round_read_ = 0;
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (is_due(open_[i])) due.push_back(i);
  search(std::move(due), found);
  return true;
}

/// Share of the records that have come to a leaf that is not split.
double StreamGrower::share_of_closed() const {
  std::uint64_t open = 0;
  for (const OpenLeaf& leaf : open_)
    for (const std::uint64_t count : tree_.counts(leaf.node)) open += count;
  return 1 - static_cast<double>(open) / static_cast<double>(feeder_.num_records());
}

std::uint64_t StreamGrower::round_records() const {
  if (options_.schedule == Schedule::kHoeffding) return static_cast<std::uint64_t>(options_.batch);
  return std::min(open_.size() * static_cast<std::uint64_t>(options_.samples_per_leaf), kMostCounted);
}

bool StreamGrower::is_due(const OpenLeaf& leaf) const {
  const auto enough = static_cast<std::uint64_t>(
      options_.schedule == Schedule::kFresh ? (options_.samples_per_leaf + 1) / 2 : options_.grace_period);
  return leaf.seen - leaf.seen_at_test >= enough;
}

/// Stages 1 and 2 for some records.
void StreamGrower::count(HeldRecords& records) {
  {
    const Stopwatch navigating(report_.times.navigate_s);
    backend_->navigate(records, tree_.nodes(), round_);
  }
  const Stopwatch updating(report_.times.update_s);
  backend_->update(records, share_.counted);
}

/// Puts what all processes have counted of classes together, and tells leaves and tree.
void StreamGrower::add_round_totals() {
  if (communicator_.size() > 1) {
    const Stopwatch communicating(report_.times.communicate_s);
    Bytes mine;
    // Those that work on other attributes of the same records have counted the same.
    if (share_.attribute_part == 0) Packer(mine).put(std::vector<std::uint32_t>(round_.begin(), round_.end()));
    std::ranges::fill(round_, 0);
    for (const Bytes& bytes : communicator_.gather_all(mine)) {
      if (bytes.empty()) continue;
      std::vector<std::uint32_t> theirs;
      Unpacker(bytes).get(theirs);
      FW_CHECK(theirs.size() == round_.size(), Runtime,
               "processes disagree about the open leaves; start all with the same program and options");
      std::ranges::transform(round_, theirs, round_.begin(), std::plus<>());
    }
  }
  for (OpenLeaf& leaf : open_) {
    if (leaf.slot < 0) continue;
    const auto slot = static_cast<std::size_t>(leaf.slot);
    const std::span<const std::uint32_t> counts(round_.row(slot), round_.cols());
    // In passes leaves see again what was their parent's share; theirs was a guess where sketches guess.
    if (in_passes() && !is_empty(counts)) tree_.clear_counts(leaf.node);
    tree_.add_counts(leaf.node, counts);
    for (std::size_t c = 0; c < counts.size(); ++c) {
      totals_(slot, c) += counts[c];
      leaf.seen += counts[c];
    }
  }
  std::ranges::fill(round_, 0);
}

/// The layout has changed: leaves count from nothing.
void StreamGrower::start_again() {
  const CountLayout& layout = feeder_.layout();
  share_ = share_of(static_cast<std::size_t>(communicator_.rank()), ranks_, layout.num_attributes);
  tree_.add_classes(layout.num_classes);
  for (OpenLeaf& leaf : open_) leaf.slot = -1, leaf.seen = leaf.seen_at_test = 0;
  num_slots_ = 0;
  free_slots_.clear();
  totals_ = round_ = {};
  backend_->reset(layout, 0);
}

/// Leaves that have counted as many as numbers hold, and are undecided still, count from nothing.
void StreamGrower::start_full_again() {
  for (OpenLeaf& leaf : open_) {
    if (leaf.seen < kMostCounted) continue;
    free_slots_.push_back(std::exchange(leaf.slot, -1));
    leaf.seen = leaf.seen_at_test = 0;
  }
}

/// Gives open leaves begin ... end slots, and takes those of others away; leaves that have one keep it.
void StreamGrower::give_slots(std::size_t begin, std::size_t end) {
  for (std::size_t i = 0; i < open_.size(); ++i)
    if ((i < begin || i >= end) && open_[i].slot >= 0) free_slots_.push_back(std::exchange(open_[i].slot, -1));
  std::ranges::sort(free_slots_, std::greater<>());
  std::size_t num_slots = num_slots_;
  std::vector<std::size_t> used_again;
  for (std::size_t i = begin; i < end; ++i) {
    OpenLeaf& leaf = open_[i];
    if (leaf.slot >= 0) continue;
    if (free_slots_.empty()) free_slots_.push_back(static_cast<std::int32_t>(num_slots++));
    leaf.slot = free_slots_.back();
    free_slots_.pop_back();
    if (const auto slot = static_cast<std::size_t>(leaf.slot); slot < num_slots_) {
      used_again.push_back(slot);
      std::fill_n(totals_.row(slot), totals_.cols(), 0);
    }
  }
  const Stopwatch updating(report_.times.update_s);
  backend_->clear(used_again);
  for (const OpenLeaf& leaf : open_) tree_.set_slot(leaf.node, leaf.slot < 0 ? kNoSlot : leaf.slot);
  if (num_slots == num_slots_) return;
  check_memory(num_slots);
  backend_->resize(num_slots);
  Array2<std::uint32_t> totals(num_slots, tree_.num_classes());
  std::ranges::copy(totals_, totals.begin());
  totals_ = std::move(totals);
  round_ = Array2<std::uint32_t>(num_slots, tree_.num_classes());
  num_slots_ = num_slots;
}

/// Leaves of a stream that goes by cannot take turns.
void StreamGrower::check_memory(std::size_t num_slots) const {
  const std::size_t needed = num_slots * backend_->slot_bytes();
  const std::size_t there = work_.memory_budget_bytes > 0 ? work_.memory_budget_bytes : backend_->room_bytes();
  FW_CHECK(
      in_passes() || there == 0 || needed <= there, Resource,
      "what " << num_slots << " open leaves count takes " << format_bytes(needed) << " of memory, and "
              << format_bytes(there)
              << " may be taken; give a larger --memory-budget, fewer --bins or, for many classes, --sketch exact");
}

std::size_t StreamGrower::slots_that_fit() const {
  const std::size_t budget = work_.memory_budget_bytes > 0 ? work_.memory_budget_bytes : backend_->room_bytes();
  const std::size_t fit = budget / std::max<std::size_t>(1, backend_->slot_bytes());
  return std::clamp<std::size_t>(fit, 1, std::max<std::size_t>(1, open_.size()));
}

}  // namespace fernwood::stream
