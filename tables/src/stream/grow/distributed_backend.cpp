// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/distributed_backend.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/messages.h"
#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::stream {

namespace {

void pack(const records::Split& split, Packer& packer) {
  packer.put(split.purity);
  packer.put(split.rank);
  packer.put(split.threshold);
  packer.put(split.attribute);
  packer.put(split.unknown_left);
}

records::Split unpack_split(Unpacker& unpacker) {
  records::Split split;
  unpacker.get(split.purity);
  unpacker.get(split.rank);
  unpacker.get(split.threshold);
  unpacker.get(split.attribute);
  unpacker.get(split.unknown_left);
  return split;
}

void pack(const LeafSearch& search, Packer& packer) {
  pack(search.best, packer);
  packer.put(search.second);
  packer.put(search.left);
}

LeafSearch unpack(Unpacker& unpacker, std::size_t num_attributes) {
  LeafSearch search;
  search.best = unpack_split(unpacker);
  unpacker.get(search.second);
  unpacker.get(search.left);
  FW_CHECK(!search.best.found() || (search.best.attribute < num_attributes && !std::isnan(search.best.threshold)),
           Runtime,
           "a process found a split of attribute " << search.best.attribute << " of " << num_attributes
                                                   << "; start all processes with the same program and options");
  return search;
}

}  // namespace

DistributedBackend::DistributedBackend(const StreamOptions& options, const LeafSketchMaker& sketches,
                                       const StreamWork& work, const Division& ranks, ThreadPool& pool,
                                       Communicator& communicator, StreamTimes& times)
    : backend_(make_stream_backend(options, work, pool, sketches)),
      budget_bytes_(work.memory_budget_bytes),
      ranks_(ranks),
      communicator_(communicator),
      times_(times) {}

void DistributedBackend::reset(const CountLayout& layout, std::size_t num_slots) {
  num_attributes_ = layout.num_attributes, num_slots_ = num_slots;
  statistics_ = layout.statistics();
  share_ = share_of(static_cast<std::size_t>(communicator_.rank()), ranks_, num_attributes_);
  counts_ = Array2<std::uint64_t>(num_slots, statistics_.size());
  backend_->reset(layout, num_slots);
}

void DistributedBackend::prepare_slots(std::span<const std::size_t> used_again, std::size_t num_slots, bool must_fit) {
  constexpr std::size_t kSmall = std::size_t{64} << 20;
  const Stopwatch updating(times_.update_s);
  backend_->clear(used_again);
  if (num_slots == num_slots_) return;
  const std::size_t needed = num_slots * backend_->slot_bytes();
  // What is available is asked for only where it matters: a stream opens leaves often.
  if (needed > kSmall || (must_fit && budget_bytes_ > 0)) {
    const std::size_t there = budget_bytes();
    FW_CHECK(needed <= there, Resource,
             "what " << num_slots << " open leaves count takes " << format_bytes(needed) << " of memory, and "
                     << format_bytes(there) << " may be taken; use a larger " << named_option("memory-budget")
                     << " or fewer " << named_option("bins"));
  }
  backend_->resize(num_slots);
  counts_ = Array2<std::uint64_t>(num_slots, statistics_.size());
  num_slots_ = num_slots;
}

std::size_t DistributedBackend::slots_that_fit() const {
  return std::max<std::size_t>(1, budget_bytes() / std::max<std::size_t>(1, backend_->slot_bytes()));
}

std::unique_ptr<HeldRecords> DistributedBackend::hold(const records::RecordTable& records) {
  return backend_->hold(records.view(), records.labels, records.targets);
}

std::vector<std::unique_ptr<HeldRecords>> DistributedBackend::hold_all(std::vector<records::RecordTable>&& tables) {
  return backend_->hold_all(std::move(tables));
}

void DistributedBackend::count(HeldRecords& records, const std::vector<records::RecordNode>& nodes) {
  {
    const Stopwatch navigating(times_.navigate_s);
    backend_->navigate(records, nodes, counts_);
  }
  const Stopwatch updating(times_.update_s);
  backend_->update(records, share_.counted);
}

Array2<std::uint64_t> DistributedBackend::sum_counts() {
  Array2<std::uint64_t> sum(num_slots_, statistics_.size());
  std::swap(sum, counts_);
  if (communicator_.size() == 1) return sum;
  const Stopwatch communicating(times_.communicate_s);
  Bytes mine;
  // Processes with other attributes of the same records have the same sums.
  if (share_.attribute_part == 0) Packer(mine).put(std::vector<std::uint64_t>(sum.begin(), sum.end()));
  std::ranges::fill(sum, 0);
  const std::vector<Bytes> received = communicator_.gather_all(mine);
  for (std::size_t rank = 0; rank < received.size(); ++rank) {
    std::vector<std::uint64_t> theirs;
    const bool reports = share_of(rank, ranks_, num_attributes_).attribute_part == 0;
    if (reports) Unpacker(received[rank]).get(theirs);
    FW_CHECK(reports ? theirs.size() == sum.size() : received[rank].empty(), Runtime,
             "processes disagree about the open leaves; start all with the same program and options");
    if (!reports) continue;
    std::ranges::transform(sum, theirs, sum.begin(), std::plus<>());
  }
  for (std::size_t slot = 0; slot < num_slots_; ++slot)
    FW_CHECK(statistics_.is_possible({sum.row(slot), sum.cols()}), Runtime,
             "processes counted more records in a leaf than there can be; start all with the same program and options");
  return sum;
}

std::vector<LeafSearch> DistributedBackend::search(const std::vector<std::size_t>& slots,
                                                   const Array2<std::uint64_t>& totals) {
  {
    const Stopwatch merging(times_.merge_s);
    backend_->merge(slots, share_.counted);
  }
  exchange_counts(slots);
  std::vector<LeafSearch> found;
  {
    const Stopwatch searching(times_.gain_s);
    if (has_counts_of_others_) check_counts(slots, totals);
    found = backend_->search(slots, totals, share_.owned);
  }
  return communicator_.size() == 1 ? found : gather_best(found);
}

/// Sends the counts of each attribute to the process that owns it.
void DistributedBackend::exchange_counts(const std::vector<std::size_t>& slots) {
  if (communicator_.size() == 1) return;
  std::vector<Bytes> outgoing(num_ranks());
  const auto counts_same_attributes = [&](const RankShare& theirs) {
    return theirs.attribute_part == share_.attribute_part && theirs.record_part != share_.record_part;
  };
  {
    const Stopwatch merging(times_.merge_s);
    for (std::size_t rank = 0; rank < outgoing.size(); ++rank) {
      const RankShare theirs = share_of(rank, ranks_, num_attributes_);
      if (counts_same_attributes(theirs)) backend_->take(slots, theirs.owned, outgoing[rank]);
    }
  }
  std::vector<Bytes> received;
  {
    const Stopwatch communicating(times_.communicate_s);
    received = communicator_.exchange(std::move(outgoing));
  }
  const Stopwatch merging(times_.merge_s);
  has_counts_of_others_ = true;
  const bool owns_counts = !slots.empty() && share_.owned.size() > 0;
  for (std::size_t rank = 0; rank < received.size(); ++rank) {
    const Bytes& bytes = received[rank];
    const bool expected = owns_counts && counts_same_attributes(share_of(rank, ranks_, num_attributes_));
    const std::size_t read = expected ? backend_->add(slots, share_.owned, bytes, 0) : 0;
    FW_CHECK(read == bytes.size(), Runtime,
             "processes disagree about what they counted; start all with the same program and options");
  }
}

/// Counts of other processes and earlier runs may be wrong.
void DistributedBackend::check_counts(const std::vector<std::size_t>& slots, const Array2<std::uint64_t>& totals) {
  const std::optional<std::size_t> attribute = backend_->find_excess(slots, totals, share_.owned);
  FW_CHECK(!attribute, Model,
           "more was counted of attribute " << *attribute << " than there are records in a leaf; start all processes "
                                            << "with the same program and options, and train without "
                                            << named_option("resume"));
}

/// The best splits over all attributes, from those of the attributes that each process owns.
std::vector<LeafSearch> DistributedBackend::gather_best(const std::vector<LeafSearch>& mine) {
  const Stopwatch communicating(times_.communicate_s);
  Bytes outgoing;
  Packer packer(outgoing);
  for (const LeafSearch& search : mine) pack(search, packer);
  std::vector<LeafSearch> best(mine.size());
  for (const Bytes& bytes : communicator_.gather_all(outgoing)) {
    Unpacker unpacker(bytes);
    for (LeafSearch& search : best) add_search(unpack(unpacker, num_attributes_), search);
  }
  return best;
}

void DistributedBackend::pack_counted(const std::vector<std::size_t>& slots, Packer& packer) {
  backend_->merge(slots, share_.counted);
  for (std::size_t a = 0; a < num_attributes_; ++a) {
    Bytes counted;
    if (a >= share_.counted.begin && a < share_.counted.end) {
      backend_->take(slots, {a, a + 1}, counted);
      backend_->add(slots, {a, a + 1}, counted, 0);
    }
    packer.put(counted);
  }
}

void DistributedBackend::unpack_counted(const std::vector<std::size_t>& slots, Unpacker& unpacker) {
  has_counts_of_others_ = true;
  Bytes counted;
  for (std::size_t a = 0; a < num_attributes_; ++a) {
    unpacker.get(counted);
    if (counted.empty() || share_.record_part != 0 || a < share_.counted.begin || a >= share_.counted.end) continue;
    FW_CHECK(backend_->add(slots, {a, a + 1}, counted, 0) == counted.size(), Model,
             "there are more counts of attribute " << a << " than leaves that count");
  }
}

}  // namespace fernwood::stream
