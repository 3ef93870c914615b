// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/stream_grower.h"

#include <algorithm>
#include <functional>

#include "stream/grow/stopwatch.h"

namespace fernwood::stream {

/// Stages 3 and 4 for some open leaves.
void StreamGrower::search(std::vector<std::size_t> leaves, std::vector<FoundSplit>& found) {
  std::erase_if(leaves, [&](std::size_t i) {
    const auto slot = static_cast<std::size_t>(open_[i].slot);
    return !may_split(std::span<const std::uint32_t>(totals_.row(slot), totals_.cols()), options_);
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
    const std::vector<std::uint32_t> all(totals, totals + totals_.cols());
    FW_CHECK(std::ranges::equal(searches[k].left, all, std::less_equal<>()) &&
                 std::ranges::equal(all, tree_.counts(leaf.node), std::less_equal<>()),
             Model,
             "what was counted in node " << leaf.node
                                         << " is not what it has seen; start all processes with the same "
                                            "program and options, and train without --resume");
    found.push_back({leaves[k], std::move(searches[k]), all});
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

}  // namespace fernwood::stream
