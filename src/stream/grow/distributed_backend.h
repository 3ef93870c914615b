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
/// attributes; what was counted of an attribute comes together at the process that owns it, and all get the best
/// splits. All processes call the same functions in the same order.
class DistributedBackend {
 public:
  /// @param times  Gets the seconds of each stage; must outlive this.
  /// @throws Error(kUsage) for sketches that the device does not count, Error(kDevice).
  DistributedBackend(const StreamOptions& options, const LeafSketchMaker& sketches, const StreamWork& work,
                     const Division& ranks, ThreadPool& pool, Communicator& communicator, StreamTimes& times);

  /// Forgets what was counted.
  void reset(const CountLayout& layout, std::size_t num_slots);
  /// Clears slots and makes room for more. @throws Error(kResource) where they do not fit, but for one that is small
  /// unless `must_fit`.
  void prepare_slots(std::span<const std::size_t> used_again, std::size_t num_slots, bool must_fit);
  /// At least 1.
  std::size_t slots_that_fit() const;

  std::unique_ptr<HeldRecords> hold(const records::RecordTable& records);
  std::vector<std::unique_ptr<HeldRecords>> hold_all(std::vector<records::RecordTable>&& tables);

  void to_root(HeldRecords& records) { backend_->to_root(records); }
  /// Stages 1 and 2 for some records of this process.
  void count(HeldRecords& records, const std::vector<records::RecordNode>& nodes);
  /// [slot] Rows of LeafStatistics: records that all processes have counted since the last call.
  Array2<std::uint64_t> sum_counts();
  /// Stages 3 and 4: the best splits of some slots. @param totals  [slot] Rows of what was counted in all processes.
  /// @return  [slots]
  std::vector<LeafSearch> search(const std::vector<std::size_t>& slots, const Array2<std::uint64_t>& totals);

  /// Attributes that this process counts of its records.
  std::size_t num_counted() const { return share_.counted.size(); }

  /// For checkpoints: what this process has counted, attribute by attribute.
  void pack_counted(const std::vector<std::size_t>& slots, Packer& packer);
  /// Takes what each process of another run has packed to one of those that count the attribute now.
  /// @throws Error(kModel) for what was packed with other slots.
  void unpack_counted(const std::vector<std::size_t>& slots, Unpacker& unpacker);

 private:
  void exchange_counts(const std::vector<std::size_t>& slots);
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
  Array2<std::uint64_t> counts_;  ///< [slot] Rows of what was counted here since sum_counts().
};

}  // namespace fernwood::stream
