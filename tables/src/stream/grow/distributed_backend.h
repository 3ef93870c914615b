// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "fernwood/core/array.h"
#include "fernwood/core/progress.h"
#include "stream/grow/stream_backend.h"

namespace fernwood::stream {

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

/// The stages of growing a level, by all processes together. Each has a backend for its share of records and
/// attributes; the counts of an attribute are collected at the process that owns it, and all receive the best splits.
/// All processes call the same functions in the same order.
class DistributedBackend {
 public:
  /// @param times  The seconds of each stage are added to it; must outlive this object.
  /// @throws Error(kUsage) for sketches that the device does not support, Error(kDevice).
  DistributedBackend(const StreamOptions& options, const LeafSketchMaker& sketches, const StreamWork& work,
                     const Division& ranks, ThreadPool& pool, Communicator& communicator, StreamTimes& times);

  /// Drops all counts.
  void reset(const CountLayout& layout, std::size_t num_slots);
  /// Clears slots and makes room for more. @throws Error(kResource) when they exceed the memory budget; without
  /// `must_fit` a small amount is allowed in any case.
  void prepare_slots(std::span<const std::size_t> used_again, std::size_t num_slots, bool must_fit);
  /// At least 1.
  std::size_t slots_that_fit() const;

  std::unique_ptr<HeldRecords> hold(const records::RecordTable& records);
  std::vector<std::unique_ptr<HeldRecords>> hold_all(std::vector<records::RecordTable>&& tables);

  void to_root(HeldRecords& records) { backend_->to_root(records); }
  /// Stages 1 and 2 for some records of this process.
  void count(HeldRecords& records, const std::vector<records::RecordNode>& nodes);
  /// [slot] Rows of LeafStatistics: the records counted by all processes since the last call.
  Array2<std::uint64_t> sum_counts();
  /// Stages 3 and 4: the best splits of some slots. @param totals  [slot] Rows counted by all processes.
  /// @return  [slots]
  std::vector<LeafSearch> search(const std::vector<std::size_t>& slots, const Array2<std::uint64_t>& totals);

  /// Number of attributes that this process counts.
  std::size_t num_counted() const { return share_.counted.size(); }

  /// For checkpoints: the counts of this process, attribute by attribute.
  void pack_counted(const std::vector<std::size_t>& slots, Packer& packer);
  /// Assigns the packed counts of each process of another run to a process that now counts the same attribute.
  /// @throws Error(kModel) for data with other slots.
  void unpack_counted(const std::vector<std::size_t>& slots, Unpacker& unpacker);

 private:
  void exchange_counts(const std::vector<std::size_t>& slots);
  void check_counts(const std::vector<std::size_t>& slots, const Array2<std::uint64_t>& totals);
  std::vector<LeafSearch> gather_best(const std::vector<LeafSearch>& mine);
  std::size_t budget_bytes() const { return budget_bytes_ > 0 ? budget_bytes_ : backend_->free_bytes(); }
  std::size_t num_ranks() const { return static_cast<std::size_t>(communicator_.size()); }

  const std::unique_ptr<StreamBackend> backend_;
  const std::size_t budget_bytes_;
  const Division ranks_;
  Communicator& communicator_;
  StreamTimes& times_;
  std::size_t num_attributes_ = 0, num_slots_ = 0;
  LeafStatistics statistics_;
  RankShare share_;
  bool has_counts_of_others_ = false;  ///< From other processes or a checkpoint, which have to be checked.
  Array2<std::uint64_t> counts_;       ///< [slot] Rows counted here since sum_counts().
};

}  // namespace fernwood::stream
