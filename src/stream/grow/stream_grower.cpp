// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_grower.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fernwood/core/file.h"
#include "fernwood/core/timer.h"

namespace fernwood {

namespace {

constexpr std::size_t kBatchRecords = 65536;  ///< Read at a time, so that memory holds few that are not counted yet.
constexpr int kFractionBits = 28;

/// Adds the seconds of a scope to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds), start_(seconds_now()) {}
  ~Stopwatch() { seconds_ += seconds_now() - start_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  const double start_;
};

}  // namespace

StreamGrower::StreamGrower(RecordSource* source, const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
                           Communicator& communicator, const StreamProgressCallback& progress)
    : options_(options),
      work_(work),
      communicator_(communicator),
      progress_(progress),
      ranks_(divide_among_ranks(work.parallel, static_cast<std::size_t>(communicator.size()))),
      feeder_(source, options, ranks_, pool, communicator),
      backend_(make_cpu_backend(options, work.parallel, pool)) {
  open_.emplace_back();
}

RecordForest StreamGrower::grow() {
  const Stopwatch total(report_.times.total_s);
  if (in_passes()) read_all();
  std::vector<FoundSplit> found;
  while (!open_.empty() && count_round(found)) {
    split_decided(std::move(found));
    found.clear();
    ++report_.rounds;
  }
  FW_CHECK(!feeder_.classes().empty(), Data, "the stream has no records; give at least one");
  return finish();
}

/// Records of this process, until the stream ends.
void StreamGrower::read_all() {
  Stopwatch reading(report_.times.read_s);
  RecordTable batch;
  while (feeder_.read(kBatchRecords, batch)) unheld_.push_back(std::move(batch));
  if (unheld_.empty()) return;
  feeder_.review();
  start_again();
  for (RecordTable& table : unheld_) {
    held_.push_back(backend_->hold(table.view(), table.labels));
    table = {};
  }
  unheld_.clear();
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
    for (const auto& records : held_) {
      count(*records);
      tell(-1);
    }
    add_round_totals();
    std::vector<std::size_t> leaves(end - begin);
    std::iota(leaves.begin(), leaves.end(), begin);
    search(std::move(leaves), found);
  }
}

/// New records, and what leaves have counted before.
bool StreamGrower::count_fresh(std::vector<FoundSplit>& found) {
  const std::size_t wanted = round_records();
  std::size_t read = 0;
  while (read < wanted && !ended_) {
    RecordTable batch;
    const std::uint64_t before = feeder_.num_records();
    {
      const Stopwatch reading(report_.times.read_s);
      ended_ = !feeder_.read(std::min(kBatchRecords, wanted - read), batch);
      if (ended_) break;
      read += feeder_.num_records() - before;
      if ((before == 0 || before == read || batch.attributes.size() != feeder_.layout().num_attributes ||
           batch.classes.size() != feeder_.layout().num_classes) &&
          feeder_.review())
        start_again();
    }
    give_slots(0, open_.size());
    count(*backend_->hold(batch.view(), batch.labels));
    tell(-1);
  }
  if (read == 0) return false;
  add_round_totals();
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (is_due(open_[i])) due.push_back(i);
  search(std::move(due), found);
  return true;
}

std::size_t StreamGrower::round_records() const {
  if (options_.schedule == Schedule::kHoeffding) return static_cast<std::size_t>(options_.batch);
  return open_.size() * static_cast<std::size_t>(options_.samples_per_leaf);
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
    // In passes children see again what their parent has seen.
    if (!in_passes() || leaf.node == 0) tree_.add_counts(leaf.node, counts);
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

/// Gives open leaves begin ... end slots, and takes those of others away; leaves that have one keep it.
void StreamGrower::give_slots(std::size_t begin, std::size_t end) {
  for (std::size_t i = 0; i < open_.size(); ++i)
    if ((i < begin || i >= end) && open_[i].slot >= 0) free_slots_.push_back(std::exchange(open_[i].slot, -1));
  std::ranges::sort(free_slots_, std::greater<>());
  std::size_t num_slots = num_slots_;
  for (std::size_t i = begin; i < end; ++i) {
    OpenLeaf& leaf = open_[i];
    if (leaf.slot >= 0) continue;
    if (free_slots_.empty()) free_slots_.push_back(static_cast<std::int32_t>(num_slots++));
    leaf.slot = free_slots_.back();
    free_slots_.pop_back();
    if (const auto slot = static_cast<std::size_t>(leaf.slot); slot < num_slots_) {
      backend_->clear(slot);
      std::fill_n(totals_.row(slot), totals_.cols(), 0);
    }
  }
  for (const OpenLeaf& leaf : open_) tree_.set_slot(leaf.node, leaf.slot < 0 ? kNoSlot : leaf.slot);
  if (num_slots == num_slots_) return;
  backend_->resize(num_slots);
  Array2<std::uint32_t> totals(num_slots, tree_.num_classes());
  std::ranges::copy(totals_, totals.begin());
  totals_ = std::move(totals);
  round_ = Array2<std::uint32_t>(num_slots, tree_.num_classes());
  num_slots_ = num_slots;
}

std::size_t StreamGrower::slots_that_fit() const {
  const std::size_t budget = work_.memory_budget_bytes > 0 ? work_.memory_budget_bytes : available_memory_bytes() / 2;
  const std::size_t fit = budget / std::max<std::size_t>(1, backend_->slot_bytes());
  return std::clamp<std::size_t>(fit, 1, std::max<std::size_t>(1, open_.size()));
}

/// Stages 3 and 4 for some open leaves.
void StreamGrower::search(std::vector<std::size_t> leaves, std::vector<FoundSplit>& found) {
  std::erase_if(leaves, [&](std::size_t i) {
    const auto slot = static_cast<std::size_t>(open_[i].slot);
    return !may_split({totals_.row(slot), totals_.cols()}, options_);
  });
  std::vector<std::size_t> slots;
  for (const std::size_t i : leaves) slots.push_back(static_cast<std::size_t>(open_[i].slot));
  std::vector<LeafSearch> searches = search_together(slots);
  const Stopwatch deciding(report_.times.gain_s);
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    OpenLeaf& leaf = open_[leaves[k]];
    leaf.seen_at_test = leaf.seen;
    ++leaf.tests;
    if (!searches[k].best.found()) continue;
    const std::uint32_t* const totals = totals_.row(slots[k]);
    found.push_back({leaves[k], std::move(searches[k]), {totals, totals + totals_.cols()}});
    weigh(found.back(), options_.criterion);
    if (found.back().gain < options_.min_gain || !is_decided(found.back(), leaf, options_)) found.pop_back();
  }
}

std::vector<LeafSearch> StreamGrower::search_together(const std::vector<std::size_t>& slots) {
  {
    const Stopwatch merging(report_.times.merge_s);
    backend_->merge(slots, share_.counted);
  }
  exchange_counts(slots);
  std::vector<LeafSearch> found;
  {
    const Stopwatch searching(report_.times.gain_s);
    found = backend_->search(slots, totals_, share_.owned);
  }
  if (communicator_.size() == 1) return found;
  const Stopwatch communicating(report_.times.communicate_s);
  Bytes mine;
  Packer packer(mine);
  for (const LeafSearch& search : found) {
    packer.put(search.best);
    packer.put(search.second);
    packer.put(search.left);
  }
  found.assign(slots.size(), {});
  for (const Bytes& bytes : communicator_.gather_all(mine)) {
    Unpacker unpacker(bytes);
    for (LeafSearch& together : found) {
      LeafSearch theirs;
      unpacker.get(theirs.best);
      unpacker.get(theirs.second);
      unpacker.get(theirs.left);
      add_search(std::move(theirs), together);
    }
  }
  return found;
}

/// Brings what was counted of an attribute to the process that owns it.
void StreamGrower::exchange_counts(const std::vector<std::size_t>& slots) {
  if (communicator_.size() == 1) return;
  std::vector<Bytes> outgoing(static_cast<std::size_t>(communicator_.size()));
  {
    const Stopwatch merging(report_.times.merge_s);
    for (std::size_t rank = 0; rank < outgoing.size(); ++rank) {
      const RankShare theirs = share_of(rank, ranks_, feeder_.layout().num_attributes);
      if (theirs.attribute_part == share_.attribute_part && theirs.record_part != share_.record_part)
        backend_->take(slots, theirs.owned, outgoing[rank]);
    }
  }
  std::vector<Bytes> received;
  {
    const Stopwatch communicating(report_.times.communicate_s);
    received = communicator_.exchange(std::move(outgoing));
  }
  const Stopwatch merging(report_.times.merge_s);
  for (const Bytes& bytes : received)
    if (!bytes.empty()) backend_->add(slots, share_.owned, bytes, 0);
}

/// Makes splits, those that gain most first where leaves are limited.
void StreamGrower::split_decided(std::vector<FoundSplit> found) {
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
    for (std::int32_t side = 0; side < 2 && tree_.depth(node) + 1 < options_.max_depth; ++side)
      children.push_back({.node = tree_.nodes()[static_cast<std::size_t>(node)].child + side});
  }
  close_and_open(splits, std::move(children));
}

/// @param splits  [open leaf] Whether it was split.
void StreamGrower::close_and_open(const std::vector<std::uint8_t>& splits, std::vector<OpenLeaf> children) {
  const bool full = options_.max_leaves > 0 && tree_.num_leaves() >= static_cast<std::size_t>(options_.max_leaves);
  std::vector<OpenLeaf> open;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const OpenLeaf& leaf = open_[i];
    // One that more records would not help is closed.
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
  now.fraction = fraction;
  progress_(now);
}

RecordForest StreamGrower::finish() const {
  RecordForest forest;
  forest.classes = feeder_.classes();
  forest.attributes = feeder_.attributes();
  forest.fraction_bits = kFractionBits;
  forest.base.assign(forest.classes.size(), 0);
  forest.trees.push_back(tree_.finish(kFractionBits));
  forest.options_json = to_json(options_);
  return forest;
}

RecordForest train_stream(RecordSource* source, const StreamOptions& options, const StreamWork& work, ThreadPool& pool,
                          Communicator& communicator, const StreamProgressCallback& progress, StreamReport* report) {
  options.check();
  StreamGrower grower(source, options, work, pool, communicator, progress);
  RecordForest forest = grower.grow();
  if (report) *report = grower.report();
  return forest;
}

}  // namespace fernwood
