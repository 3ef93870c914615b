// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/distributed/ranks.h"

#include <cstring>
#include <type_traits>

#include "core/messages.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"

namespace fernwood::train {

namespace {

/// Approximate limit in bytes, over all ranks, up to which one exchange of everything is faster than two exchanges of
/// parts.
constexpr std::size_t kFewBytes = std::size_t{64} << 10;

template <typename T>
Bytes as_bytes(std::span<const T> items) {
  Bytes bytes(items.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), items.data(), bytes.size());
  return bytes;
}

/// Adds the numbers of another rank elementwise. @throws Error(kRuntime) if their count differs.
template <typename Whole>
void add_numbers(const Bytes& theirs, std::span<Whole> sums) {
  FW_CHECK(theirs.size() == sums.size_bytes(), Runtime,
           "a rank counted " << theirs.size() / sizeof(Whole) << " numbers where this one counted " << sums.size()
                             << "; start all ranks with the same program, options and data");
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Whole number;
    std::memcpy(&number, theirs.data() + i * sizeof(Whole), sizeof(Whole));
    sums[i] += number;
  }
}

template <typename T>
void put_table(const Array2<T>& table, Packer& packer) {
  packer.put(std::uint64_t{table.cols()});
  packer.put(std::vector<T>(table.begin(), table.end()));
}

template <typename T>
Array2<T> get_table(Unpacker& unpacker) {
  const auto cols = static_cast<std::size_t>(unpacker.get<std::uint64_t>());
  std::vector<T> items;
  unpacker.get(items);
  Array2<T> table(cols > 0 ? items.size() / cols : 0, cols);
  std::copy_n(items.begin(), table.size(), table.begin());
  return table;
}

}  // namespace

void pack(const forest::Tree& tree, Packer& packer) {
  packer.put(tree.nodes);
  put_table(tree.leaf_counts, packer);
  put_table(tree.leaf_scores, packer);
}

forest::Tree unpack_tree(Unpacker& unpacker) {
  forest::Tree tree;
  unpacker.get(tree.nodes);
  tree.leaf_counts = get_table<std::uint32_t>(unpacker);
  tree.leaf_scores = get_table<float>(unpacker);
  return tree;
}

std::string to_string(Parallelism parallelism) {
  return parallelism == Parallelism::kTrees ? "trees" : parallelism == Parallelism::kFeatures ? "features" : "data";
}

std::vector<Bytes> Ranks::gather(const Bytes& mine) {
  const double start = seconds_now();
  std::vector<Bytes> all = communicator_.gather_all(mine);
  seconds_waiting_ += seconds_now() - start;
  bytes_sent_ += mine.size() * (num_ranks() - 1);
  return all;
}

std::vector<Bytes> Ranks::exchange(std::vector<Bytes> outgoing) {
  for (std::size_t r = 0; r < outgoing.size(); ++r)
    if (r != rank()) bytes_sent_ += outgoing[r].size();
  const double start = seconds_now();
  std::vector<Bytes> incoming = communicator_.exchange(std::move(outgoing));
  seconds_waiting_ += seconds_now() - start;
  return incoming;
}

Bytes Ranks::from_first(Bytes mine) {
  if (num_ranks() == 1) return mine;
  std::vector<Bytes> outgoing(num_ranks());
  if (leads()) std::ranges::fill(outgoing, mine);
  return std::move(exchange(std::move(outgoing)).front());
}

template <typename Whole>
void Ranks::sum_over_samples(std::span<Whole> numbers) {
  if (divides(Parallelism::kData)) sum(numbers);
}
template void Ranks::sum_over_samples(std::span<std::uint32_t> numbers);
template void Ranks::sum_over_samples(std::span<std::uint64_t> numbers);
template void Ranks::sum_over_samples(std::span<std::int64_t> numbers);

template <typename Whole>
void Ranks::sum(std::span<Whole> numbers) {
  if (numbers.size_bytes() * num_ranks() <= kFewBytes) return sum_few(numbers);
  // Each rank sums a part and sends it to all, so that the data received do not grow with the number of ranks.
  std::vector<Bytes> outgoing;
  for (std::size_t r = 0; r < num_ranks(); ++r) {
    const Share part = share_of(numbers.size(), r, num_ranks());
    outgoing.push_back(as_bytes(std::span<const Whole>(numbers.subspan(part.begin, part.size()))));
  }
  const Share own = share_of(numbers.size(), rank(), num_ranks());
  std::vector<Whole> sums(own.size(), 0);
  for (const Bytes& theirs : exchange(std::move(outgoing))) add_numbers(theirs, std::span(sums));
  const std::vector<Bytes> all = gather(as_bytes(std::span<const Whole>(sums)));
  std::ranges::fill(numbers, Whole{0});
  for (std::size_t r = 0; r < num_ranks(); ++r) {
    const Share part = share_of(numbers.size(), r, num_ranks());
    add_numbers(all[r], numbers.subspan(part.begin, part.size()));
  }
}
template void Ranks::sum(std::span<std::uint32_t> numbers);

template <typename Whole>
void Ranks::sum_few(std::span<Whole> numbers) {
  const std::vector<Bytes> all = gather(as_bytes(std::span<const Whole>(numbers)));
  std::ranges::fill(numbers, Whole{0});
  for (const Bytes& theirs : all) add_numbers(theirs, numbers);
}

void Ranks::sum_over_work(std::uint64_t& number) {
  if (num_ranks() == 1 || divides(Parallelism::kFeatures)) return;
  sum_few(std::span(&number, 1));
}

std::vector<std::uint32_t> Ranks::frames(std::size_t num_frames) const {
  std::vector<std::uint32_t> held;
  const Deal own = divides(Parallelism::kData) ? Deal{rank(), num_ranks()} : Deal{};
  for (std::size_t i = 0; i < own.count_of(num_frames); ++i) held.push_back(static_cast<std::uint32_t>(own.number(i)));
  return held;
}

std::vector<std::uint32_t> Ranks::first_places(const SampleSet& samples) {
  if (!divides(Parallelism::kData)) return {samples.frame_starts.begin(), samples.frame_starts.end() - 1};
  struct Frame {
    std::uint32_t index, num_samples;
  };
  std::vector<Frame> own, all;
  for (std::size_t f = 0; f < samples.frames.size(); ++f)
    own.push_back({samples.frames[f], samples.frame_starts[f + 1] - samples.frame_starts[f]});
  Bytes mine;
  Packer(mine).put(own);
  for (const Bytes& bytes : gather(mine)) {
    std::vector<Frame> theirs;
    Unpacker(bytes).get(theirs);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  std::ranges::sort(all, {}, &Frame::index);
  std::vector<std::uint32_t> places;
  std::uint32_t before = 0;
  for (const Frame& frame : all) {
    // Each frame is held by exactly one rank.
    if (places.size() < own.size() && own[places.size()].index == frame.index) places.push_back(before);
    before += frame.num_samples;
  }
  return places;
}

std::size_t Ranks::least(std::size_t number) {
  if (!divides(Parallelism::kData)) return number;
  Bytes mine;
  Packer(mine).put(std::uint64_t{number});
  for (const Bytes& theirs : gather(mine))
    number = std::min<std::size_t>(number, Unpacker(theirs).get<std::uint64_t>());
  return number;
}

std::vector<std::uint32_t> Ranks::sum_rows(std::span<const std::uint32_t> rows, std::size_t num_rows) {
  const std::size_t width = num_rows > 0 ? rows.size() / num_rows : 0;
  const auto rows_of = [&](std::size_t r) {
    const Share part = share_of(num_rows, r, num_ranks());
    return rows.subspan(part.begin * width, part.size() * width);
  };
  std::vector<Bytes> outgoing(num_ranks());  // this rank's own rows stay here
  for (std::size_t r = 0; r < num_ranks(); ++r)
    if (r != rank()) outgoing[r] = as_bytes(rows_of(r));
  std::vector<std::uint32_t> sums(rows_of(rank()).begin(), rows_of(rank()).end());
  const std::vector<Bytes> incoming = exchange(std::move(outgoing));
  for (std::size_t r = 0; r < num_ranks(); ++r)
    if (r != rank()) add_numbers(incoming[r], std::span(sums));
  return sums;
}

void Ranks::link_gpus(const NcclLibrary& nccl, const std::string& bus_id) {
  if (num_shares() == 1) return;
  NcclRank::Rendezvous rendezvous = NcclRank::meet(nccl, bus_id, communicator_);
  nccl_ = std::move(rendezvous.rank);
  gpu_links_ = {nccl_ ? "NCCL " + nccl.version_text() : "", rendezvous.problem};
}

void Ranks::sum_blocks(std::uint32_t* blocks, std::size_t block_size, void* stream,
                       const std::function<bool()>& arrived) {
  // Checks that all ranks are present with equal block sizes before a GPU waits for others: from here on only a failure
  // can stop them.
  const std::uint64_t size = block_size;
  for (const Bytes& theirs : gather(as_bytes(std::span<const std::uint64_t>(&size, 1))))
    FW_CHECK(Unpacker(theirs).get<std::uint64_t>() == size, Runtime,
             "a rank counted blocks of " << Unpacker(theirs).get<std::uint64_t>() << " numbers where this one counted "
                                         << size << "; start all ranks with the same program, options and data");
  if (block_size == 0) return;
  const double start = seconds_now();
  nccl_->reduce_scatter(blocks, block_size, stream, arrived);
  seconds_waiting_ += seconds_now() - start;
  bytes_sent_ += block_size * sizeof(std::uint32_t) * (num_ranks() - 1);
}

void Ranks::gather_best(LevelBest& best) {
  static_assert(std::is_trivially_copyable_v<ChosenSplit> && std::is_trivially_copyable_v<SharedSplit>);
  Bytes mine;
  Packer packer(mine);
  packer.put(best.chosen);
  if (best.shared) packer.put(*best.shared);
  for (const Bytes& bytes : gather(mine)) {
    Unpacker unpacker(bytes);
    LevelBest theirs;
    unpacker.get(theirs.chosen);
    FW_CHECK(theirs.chosen.size() == best.chosen.size(), Runtime,
             "a rank found splits of " << theirs.chosen.size() << " nodes where this one has " << best.chosen.size()
                                       << "; start all ranks with the same program, options and data");
    if (best.shared) theirs.shared = unpacker.get<SharedSplit>();
    take_better(theirs, best);
  }
}

std::vector<GrownTree> Ranks::gather_trees(std::optional<GrownTree> mine, std::size_t num_trees) {
  std::vector<GrownTree> trees;
  if (trees_at_once() == 1) {
    trees.push_back(std::move(*mine));
    return trees;
  }
  Bytes outgoing;
  Packer packer(outgoing);
  if (mine) {
    pack(mine->tree, packer);
    packer.put(mine->levels);
  }
  const std::vector<Bytes> all = gather(outgoing);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    check_shares(all[rank].empty() == (rank >= num_trees));
    if (all[rank].empty()) continue;
    Unpacker unpacker(all[rank]);
    GrownTree& grown = trees.emplace_back();
    grown.tree = unpack_tree(unpacker);
    unpacker.get(grown.levels);
  }
  return trees;
}

}  // namespace fernwood::train
