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

/// What the ranks of a training divide among them; everything else each of them does and has alike.
enum class Parallelism {
  kTrees,     ///< Each grows some of the trees.
  kFeatures,  ///< Each evaluates some of a level's candidates at all samples.
  kData       ///< Each holds some of the frames and their samples; what is counted of them is added up.
};
inline constexpr std::array kParallelisms = {Parallelism::kTrees, Parallelism::kFeatures, Parallelism::kData};
std::string to_string(Parallelism parallelism);

/// A tree as bytes for other ranks, and back.
void pack(const forest::Tree& tree, Packer& packer);
forest::Tree unpack_tree(Unpacker& unpacker);

/// A tree, and what growing it took.
struct GrownTree {
  forest::Tree tree;
  std::vector<LevelReport> levels;
};

/// The ranks that train one forest together, this one among them. Knows what each of them does, and brings together
/// what they found; where nothing is divided along an axis, there is nothing to bring together. One rank is the
/// case in which each share is all there is. What one rank calls, all must call.
class Ranks {
 public:
  explicit Ranks(Communicator& communicator)
      : communicator_(communicator), neighbours_(find_node_local_ranks(communicator)) {}

  /// Before anything is divided; till then, and for one rank, it is trees.
  /// @param in_runs  Frames are divided into runs, not dealt out: samples of a rank follow those of the one before.
  void divide(Parallelism parallelism, bool in_runs = false) {
    axis_ = num_ranks() > 1 ? parallelism : Parallelism::kTrees;
    in_runs_ = in_runs;
  }
  Parallelism parallelism() const { return axis_; }
  const NodeLocalRanks& neighbours() const { return neighbours_; }
  bool leads() const { return communicator_.rank() == 0; }
  std::size_t rank() const { return static_cast<std::size_t>(communicator_.rank()); }
  std::size_t num_ranks() const { return static_cast<std::size_t>(communicator_.size()); }

  /// See fernwood::check_alike().
  void check_alike(const std::string& options) { fernwood::check_alike(options, communicator_); }

  // Shares.

  /// Frames that are held here, ascending. They are dealt out: neighbours show the same rooms, and a run of hard ones
  /// would let the other ranks wait at every level.
  std::vector<std::uint32_t> frames(std::size_t num_frames) const;
  /// Candidates of a level that are evaluated here. They are sorted, so that neighbours cost about the same: every rank
  /// gets some of each sort.
  Deal candidates() const { return divides(Parallelism::kFeatures) ? Deal{rank(), num_ranks()} : Deal{}; }
  /// Trees that are grown side by side, and which of them this rank grows.
  std::size_t trees_at_once() const { return divides(Parallelism::kTrees) ? num_ranks() : 1; }
  std::size_t own_tree() const { return divides(Parallelism::kTrees) ? rank() : 0; }
  /// What of a level's responses is found here, about.
  double share_of_responses() const { return divides(Parallelism::kTrees) ? 1 : 1 / static_cast<double>(num_ranks()); }

  /// Ranks that hold samples of the same trees, and add up what they count of them.
  std::size_t num_shares() const { return divides(Parallelism::kData) ? num_ranks() : 1; }

  /// Adds up whole numbers that every rank has its own of.
  template <typename Whole>
  void sum(std::span<Whole> numbers);

  // What ranks with other samples counted.

  /// Adds up whole numbers that each rank counted of its own samples, or leaves them where all have all samples.
  template <typename Whole>
  void sum_over_samples(std::span<Whole> numbers);
  /// The same of one number, where trees are divided too.
  void sum_over_work(std::uint64_t& number);
  /// [frames of the samples] Places of their first samples, when those of all ranks are put in the order of frames.
  std::vector<std::uint32_t> first_places(const SampleSet& samples);
  /// The least of the numbers that ranks which count together bring.
  std::size_t least(std::size_t number);
  /// Adds up rows of numbers, of which each rank gets its share_of().
  /// @param rows  `num_rows` times `width` numbers, the same on all ranks.
  /// @return  The sums of this rank's rows.
  std::vector<std::uint32_t> sum_rows(std::span<const std::uint32_t> rows, std::size_t num_rows);

  // The same in the memory of GPUs, where these reach each other.

  /// Whether nothing is known that keeps GPUs from being linked. All ranks must call it, and get the same.
  bool can_link_gpus(const NcclLibrary& nccl, const std::string& bus_id) {
    return link_unsupported(nccl, bus_id, communicator_).empty();
  }
  /// Looks for a way from GPU to GPU; nothing where ranks do not count together. On any thread, while no other of this
  /// rank calls anything here that is brought together.
  /// @param bus_id  Of the GPU that the calling thread uses.
  void link_gpus(const NcclLibrary& nccl, const std::string& bus_id);
  const GpuLinks& gpu_links() const { return gpu_links_; }
  bool has_gpu_links() const { return nccl_ != nullptr; }
  /// Adds up blocks in the order of a stream, and waits for it; see NcclRank::reduce_scatter().
  /// @param arrived  Whether the stream's work is done.
  void sum_blocks(std::uint32_t* blocks, std::size_t block_size, void* stream, const std::function<bool()>& arrived);

  // What each rank found.

  /// The best splits of all ranks, which evaluated the same nodes.
  void gather_best(LevelBest& best);
  /// The trees that were grown side by side, in order. @param mine  Empty where there was none left for this rank.
  std::vector<GrownTree> gather_trees(std::optional<GrownTree> mine);
  /// What each rank sends, by rank.
  std::vector<Bytes> gather(const Bytes& mine);
  /// What rank 0 sends, on all. @param mine  Looked at there only.
  Bytes from_first(Bytes mine);

  double seconds_waiting() const { return seconds_waiting_; }
  std::uint64_t bytes_sent() const { return bytes_sent_; }

 private:
  bool divides(Parallelism parallelism) const { return axis_ == parallelism; }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing);
  /// Adds up what all ranks have of few numbers: in one meeting, each for itself.
  template <typename Whole>
  void sum_few(std::span<Whole> numbers);

  Communicator& communicator_;
  const NodeLocalRanks neighbours_;
  Parallelism axis_ = Parallelism::kTrees;
  bool in_runs_ = false;
  std::unique_ptr<NcclRank> nccl_;  // null: no link
  GpuLinks gpu_links_;
  double seconds_waiting_ = 0;
  std::uint64_t bytes_sent_ = 0;
};

}  // namespace fernwood::train
