// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/messages.h"
#include "core/nccl.h"
#include "fernwood/core/communicator.h"
#include "fernwood/forest/forest.h"
#include "fernwood/train/train.h"
#include "train/grow/growing_tree.h"

namespace fernwood::train {

/// The work that the ranks of a training divide; every rank does everything else, with identical results.
enum class Parallelism {
  kTrees,     ///< Each rank grows some of the trees.
  kFeatures,  ///< Each rank evaluates some of a level's candidates for all samples.
  kData       ///< Each rank holds some of the frames and their samples; their counts are added up.
};
inline constexpr std::array kParallelisms = {Parallelism::kTrees, Parallelism::kFeatures, Parallelism::kData};
std::string to_string(Parallelism parallelism);

/// Serialises a tree for other ranks, and back.
void pack(const forest::Tree& tree, Packer& packer);
forest::Tree unpack_tree(Unpacker& unpacker);

/// A tree, with the reports of its levels.
struct GrownTree {
  forest::Tree tree;
  std::vector<LevelReport> levels;
};

/// The ranks that train one forest together, including this one: their shares of the work, and the collective
/// operations that combine their results. Where work is not divided, there is nothing to combine; with a single rank,
/// every share is the whole. A collective operation that one rank calls must be called by all.
class Ranks {
 public:
  explicit Ranks(Communicator& communicator)
      : communicator_(communicator), neighbours_(find_node_local_ranks(communicator)) {}

  /// Sets the parallelism before any work is divided; kTrees until then, and for a single rank.
  void divide(Parallelism parallelism) { parallelism_ = num_ranks() > 1 ? parallelism : Parallelism::kTrees; }
  Parallelism parallelism() const { return parallelism_; }
  const NodeLocalRanks& neighbours() const { return neighbours_; }
  bool leads() const { return communicator_.rank() == 0; }
  std::size_t rank() const { return static_cast<std::size_t>(communicator_.rank()); }
  std::size_t num_ranks() const { return static_cast<std::size_t>(communicator_.size()); }

  /// See fernwood::check_alike().
  void check_alike(const std::string& options) { fernwood::check_alike(options, communicator_); }

  // Shares of the work.

  /// Frames held here, ascending. They are dealt out, because neighbouring frames show the same rooms, and a run of
  /// difficult ones would make the other ranks wait at every level.
  std::vector<std::uint32_t> frames(std::size_t num_frames) const;
  /// Candidates of a level that are evaluated here. They are dealt out, because successive candidates in sorted order
  /// have similar costs: every rank gets some of each kind.
  Deal candidates() const { return divides(Parallelism::kFeatures) ? Deal{rank(), num_ranks()} : Deal{}; }
  /// Number of trees grown at the same time, and the index of this rank's tree among them.
  std::size_t trees_at_once() const { return divides(Parallelism::kTrees) ? num_ranks() : 1; }
  std::size_t own_tree() const { return divides(Parallelism::kTrees) ? rank() : 0; }
  /// Approximate share of a level's responses that is computed here.
  double share_of_responses() const { return divides(Parallelism::kTrees) ? 1 : 1 / static_cast<double>(num_ranks()); }

  /// Number of ranks that hold samples of the same trees and add up their counts.
  std::size_t num_shares() const { return divides(Parallelism::kData) ? num_ranks() : 1; }

  /// Adds up whole numbers over all ranks, elementwise.
  template <typename Whole>
  void sum(std::span<Whole> numbers);

  // Operations on the counts of ranks with different samples.

  /// Adds up whole numbers counted over each rank's samples; leaves them unchanged if every rank has all samples.
  template <typename Whole>
  void sum_over_samples(std::span<Whole> numbers);
  /// As sum_over_samples() for one number, but also sums if trees are divided.
  void sum_over_work(std::uint64_t& number);
  /// [frames of the samples] Position of each frame's first sample among the samples of all ranks in frame order.
  std::vector<std::uint32_t> first_places(const SampleSet& samples);
  /// Minimum over the ranks that add up their counts.
  std::size_t least(std::size_t number);
  /// Adds up rows of numbers; each rank gets the sums of its share_of() the rows.
  /// @param rows  `num_rows` times `width` numbers; the same size on all ranks.
  /// @return  The sums of this rank's rows.
  std::vector<std::uint32_t> sum_rows(std::span<const std::uint32_t> rows, std::size_t num_rows);

  // The same operations in GPU memory, if the GPUs are linked.

  /// Whether the GPUs can be linked, as far as is known. All ranks must call it, and get the same result.
  bool can_link_gpus(const NcclLibrary& nccl, const std::string& bus_id) {
    return link_unsupported(nccl, bus_id, communicator_).empty();
  }
  /// Links the GPUs of the ranks, if these add up their counts. May be called from any thread, as long as no other
  /// thread of this rank calls a collective operation meanwhile.
  /// @param bus_id  PCI bus identifier of the calling thread's GPU.
  void link_gpus(const NcclLibrary& nccl, const std::string& bus_id);
  const GpuLinks& gpu_links() const { return gpu_links_; }
  bool has_gpu_links() const { return nccl_ != nullptr; }
  /// Adds up blocks in stream order, and waits for the result; see NcclRank::reduce_scatter().
  /// @param arrived  Returns whether the stream's work is complete.
  void sum_blocks(std::uint32_t* blocks, std::size_t block_size, void* stream, const std::function<bool()>& arrived);

  // Exchange of results.

  /// Combines the best splits of all ranks, which evaluated the same nodes.
  void gather_best(LevelBest& best);
  /// The trees grown at the same time, in order. @param mine  Empty if no tree was left for this rank.
  /// @param num_trees  How many trees are left in the stage: one for each of the first ranks.
  std::vector<GrownTree> gather_trees(std::optional<GrownTree> mine, std::size_t num_trees);
  /// The messages of all ranks, by rank.
  std::vector<Bytes> gather(const Bytes& mine);
  /// Broadcasts the message of rank 0 to all ranks. @param mine  Ignored on other ranks.
  Bytes from_first(Bytes mine);

  double seconds_waiting() const { return seconds_waiting_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  bool divides(Parallelism parallelism) const { return parallelism_ == parallelism; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing);
  /// Adds up few numbers in one exchange of everything; each rank computes all sums itself.
  template <typename Whole>
  void sum_few(std::span<Whole> numbers);

  Communicator& communicator_;
  const NodeLocalRanks neighbours_;
  Parallelism parallelism_ = Parallelism::kTrees;
  std::unique_ptr<NcclRank> nccl_;  // null: not linked
  GpuLinks gpu_links_;
  double seconds_waiting_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace fernwood::train
