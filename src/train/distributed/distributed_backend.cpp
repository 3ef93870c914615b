// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/distributed/parallelism.h"

namespace fernwood::train {

namespace {

/// The functions that both kinds of parallelism forward to the device.
class DistributedBackend : public LevelBackend {
 public:
  DistributedBackend(DeviceBackend& device, Ranks& ranks) : device_(device), ranks_(ranks) {}

  void descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) override {
    device_.descend(children, nodes);
  }
  StageSeconds take_seconds() override { return device_.take_seconds(); }

 protected:
  DeviceBackend& device_;
  Ranks& ranks_;
};

/// Parallelism::kFeatures: evaluates this rank's candidates for all samples. Ranks exchange the best splits of nodes,
/// and the rank that found a split sends the partition bits, so that no other rank has to visit the frames.
class CandidateSharing : public DistributedBackend {
 public:
  using DistributedBackend::DistributedBackend;

  void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
             const TrainOptions& options) override {
    device_.start(samples, growing, nodes, own(options));
  }
  Deal candidates() const override { return ranks_.candidates(); }
  std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options, std::size_t caller_bytes) const override {
    return device_.chunk_size(nodes, own(options), caller_bytes);
  }
  std::size_t levels_ahead(const TrainOptions& options, std::size_t num_levels) const override {
    return device_.levels_ahead(own(options), num_levels);
  }
  void start_levels(const std::vector<CandidateChunk>& levels) override { device_.start_levels(levels); }
  void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) override {
    device_.evaluate(nodes, chunk, options);
  }
  LevelBest best(const OpenNodes& nodes) override {
    LevelBest best = device_.best(nodes);
    // From here on candidates have global indices; a rank's own candidates have the same order in both numberings.
    for (ChosenSplit& chosen : best.chosen) renumber(chosen.best.candidate);
    if (best.shared) renumber(best.shared->candidate);
    ranks_.gather_best(best);
    return best;
  }
  Array2<std::uint32_t> split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) override {
    std::vector<std::uint8_t> mine;
    for (const ChosenSplit& split : chosen)
      mine.push_back(split.best.candidate >= 0 &&
                     ranks_.candidates().has(static_cast<std::size_t>(split.best.candidate)));
    std::vector<std::uint32_t> sides = device_.partition_bits(nodes, mine);
    ranks_.sum(std::span(sides));  // for each bit, all ranks but one have 0
    return device_.split_by(nodes, chosen, sides);
  }

 private:
  /// The options for the device, with the number of candidates of this rank.
  TrainOptions own(TrainOptions options) const {
    options.features = static_cast<int>(ranks_.candidates().count_of(static_cast<std::size_t>(options.features)));
    return options;
  }
  void renumber(std::int32_t& candidate) const {
    if (candidate >= 0)
      candidate = static_cast<std::int32_t>(ranks_.candidates().number(static_cast<std::size_t>(candidate)));
  }
};

/// Parallelism::kData: computes responses to all candidates for the samples held here. Counts are added up over ranks,
/// each rank sums and scores its share of the candidates, and ranks exchange the best splits of nodes and add up the
/// counts of their partitions.
class SampleSharing : public DistributedBackend {
 public:
  using DistributedBackend::DistributedBackend;

  void start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
             const TrainOptions& options) override {
    device_.start(samples, growing, nodes, options);
  }

  /// The same on all ranks, because they add up the counts of a chunk.
  std::size_t chunk_size(const OpenNodes& nodes, const TrainOptions& options, std::size_t caller_bytes) const override {
    return ranks_.least(device_.chunk_size(nodes, options, caller_bytes));
  }

  std::size_t levels_ahead(const TrainOptions& options, std::size_t num_levels) const override {
    return device_.levels_ahead(options, num_levels);
  }
  void start_levels(const std::vector<CandidateChunk>& levels) override { device_.start_levels(levels); }

  void evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) override {
    device_.evaluate_share(nodes, chunk, options, ranks_);
  }

  LevelBest best(const OpenNodes& nodes) override {
    LevelBest best = device_.best(nodes);
    ranks_.gather_best(best);
    return best;
  }

  Array2<std::uint32_t> split(const OpenNodes& nodes, const std::vector<ChosenSplit>& chosen) override {
    Array2<std::uint32_t> counts = device_.split(nodes, chosen);
    ranks_.sum_over_samples(std::span(counts.data(), counts.size()));
    return counts;
  }
};

}  // namespace

std::unique_ptr<LevelBackend> share_levels(TrainDevice& device, Ranks& ranks) {
  if (ranks.parallelism() == Parallelism::kTrees) return nullptr;
  if (ranks.parallelism() == Parallelism::kFeatures) return std::make_unique<CandidateSharing>(device.backend(), ranks);
  return std::make_unique<SampleSharing>(device.backend(), ranks);
}

}  // namespace fernwood::train
