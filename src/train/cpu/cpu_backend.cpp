// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cpu/cpu_backend.h"

#include <algorithm>
#include <limits>

#include "core/isa.h"
#include "fernwood/core/error.h"
#include "fernwood/core/progress.h"
#include "train/cpu/level_kernels.h"

namespace fernwood::train {

namespace {

/// Samples of a frame processed together: their sites fit in the L1 cache, and the part of the integral images around
/// them in the L2 cache.
constexpr std::size_t kBlock = 512;
/// Histograms processed together fit in the L1 cache.
constexpr std::size_t kHistogramCounts = 8192;
/// One in this many candidates is timed.
constexpr std::size_t kTimedShare = 16;

/// Share of responding in the work per response, for progress reports.
constexpr double kRespondShare = 0.6;

/// Number of counters for a candidate.
std::size_t count_width(const OpenNodes& nodes, const TrainOptions& options) {
  return nodes.class_counts.size() * histogram_stride(options.thresholds);
}

}  // namespace

CpuBackend::CpuBackend(FrameStore& store, ThreadPool& pool, const KernelVariant& choice, const LevelBudget& budget,
                       std::stop_token stop, ProgressMeter& meter)
    : store_(store),
      pool_(pool),
      kernels_(level_kernels(choice.isa)),
      responders_(forest::respond_kernels(choice)),
      budget_(budget),
      bins_bytes_(budget.bytes),
      stop_(std::move(stop)),
      meter_(meter),
      workers_(static_cast<std::size_t>(pool.num_threads())) {
  for (Worker& worker : workers_) worker.responses.resize(kBlock);
}

void CpuBackend::check_stop() const { FW_CHECK(!stop_.stop_requested(), Interrupted, "training was interrupted"); }

void CpuBackend::start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
                       const TrainOptions& options) {
  ferns_ = options.algorithm == forest::ForestKind::kFerns;
  levels_.clear();
  chunk_bins_ = {};
  frontier_.emplace(samples, growing, store_, pool_);
  if (!budget_.all_frames_held) {
    const auto num_levels = static_cast<std::size_t>(options.max_depth - growing.level);
    bins_bytes_ = divide_with_frames(needs(options, num_levels), budget_);
    store_.set_budget(budget_.bytes - bins_bytes_);
  }
  begin_level(nodes);
}

LevelNeeds CpuBackend::needs(const TrainOptions& options, std::size_t num_levels) const {
  return {.samples = frontier_->num_samples(),
          .candidates = static_cast<std::size_t>(options.features),
          .levels = num_levels};
}

std::size_t CpuBackend::levels_ahead(const TrainOptions& options, std::size_t num_levels) const {
  return !budget_.all_frames_held && levels_.empty() ? fit_levels(needs(options, num_levels), bins_bytes_) : 0;
}

void CpuBackend::start_levels(const std::vector<CandidateChunk>& levels) {
  for (const CandidateChunk& level : levels) levels_.emplace_back().reset(0, level.size(), frontier_->num_samples());
  for_each_block(frontier_->samples(),
                 [&](const image::FrameView& frame, std::size_t first, std::size_t count, Worker& worker) {
                   for (std::size_t i = 0; i < levels.size(); ++i)
                     respond_block(levels[i], frame, first, count, worker, levels_[i]);
                   meter_.add(kRespondShare * static_cast<double>(count * levels.front().size()));
                 });
}

std::size_t CpuBackend::chunk_size(const OpenNodes& nodes, const TrainOptions& options) const {
  std::size_t most = std::numeric_limits<std::size_t>::max();
  if (budget_.counts_bytes > 0) {
    constexpr std::size_t kCopies = 3;  // counts here, to be sent, and received
    most = budget_.counts_bytes /
           (kCopies * sizeof(std::uint32_t) * std::max<std::size_t>(1, count_width(nodes, options)));
  }
  if (levels_.empty()) {
    const std::size_t samples = frontier_ ? frontier_->num_samples() : nodes.num_samples();
    most = std::min(most, bins_bytes_ / (samples + threshold_bytes(options)));
  }
  return std::max<std::size_t>(1, most);
}

void CpuBackend::for_each_block(const SampleSet& samples, const Block& block) {
  store_.visit(samples.frames, pool_, [&](std::size_t i, const LoadedFrame& frame, int) {
    const image::FrameView view = frame.view();
    const std::size_t begin = samples.frame_starts[i], end = samples.frame_starts[i + 1];
    pool_.for_each((end - begin + kBlock - 1) / kBlock, [&](std::size_t b, int worker) {
      check_stop();
      const std::size_t first = begin + b * kBlock;
      block(view, first, std::min(kBlock, end - first), workers_[static_cast<std::size_t>(worker)]);
    });
  });
}

void CpuBackend::respond_block(const CandidateChunk& chunk, const image::FrameView& frame, std::size_t first,
                               std::size_t count, Worker& worker, LevelBins& level_bins) {
  const double start = seconds_now();
  const int num_thresholds = static_cast<int>(chunk.thresholds.cols());
  double respond = 0, bin = 0;
  for (std::size_t f = 0; f < chunk.size(); ++f) {
    const bool timed = f % kTimedShare == 0;
    const double t0 = timed ? seconds_now() : 0;
    std::uint8_t* bins = level_bins.row(chunk.first + f) + first;
    responders_.respond(frame, chunk.features[f], frontier_->samples().sites.data() + first, count,
                        worker.responses.data());
    const double t1 = timed ? seconds_now() : 0;
    kernels_.bin(worker.responses.data(), count, chunk.thresholds.row(f), num_thresholds, bins);
    if (timed) respond += t1 - t0, bin += seconds_now() - t1;
  }
  const double seconds = seconds_now() - start, timed = std::max(respond + bin, 1e-12);
  worker.seconds.respond += seconds * respond / timed;
  worker.seconds.bin += seconds * bin / timed;
}

CandidateRow CpuBackend::candidate_row(const OpenNodes& nodes, const CandidateChunk& chunk, std::size_t feature,
                                       ScoreKind score) const {
  return {.bins = bins().row(chunk.first + feature),
          .frame_order = frontier_->frame_order().data(),
          .node_classes = frontier_->node_classes().data(),
          .nodes = view_of(nodes.nodes),
          .class_counts = nodes.class_counts.data(),
          .num_thresholds = static_cast<int>(chunk.thresholds.cols()),
          .candidate = static_cast<std::int32_t>(chunk.first + feature),
          .score = score};
}

/// Stages 2 and 3, for a group of nodes at a time. @param score_nodes  Stage 3 of nodes [begin, end).
template <typename ScoreNodes>
void CpuBackend::score_candidate(const CandidateRow& row, Worker& worker, const ScoreNodes& score_nodes) {
  const std::size_t stride = histogram_stride(row.num_thresholds);
  double time = seconds_now();
  for (std::size_t begin = 0, end = 0; begin < row.nodes.size; begin = end) {
    std::size_t classes = 0;
    while (end < row.nodes.size &&
           (end == begin || (classes + row.nodes[end].num_classes) * stride <= kHistogramCounts))
      classes += row.nodes[end++].num_classes;
    if (worker.histograms.size() < classes * stride) worker.histograms.resize(classes * stride, 0);
    kernels_.aggregate(row, begin, end, worker.histograms.data());
    const double aggregated = seconds_now();
    score_nodes(begin, end);
    const double scored = seconds_now();
    worker.seconds.aggregate += aggregated - time;
    worker.seconds.score += scored - aggregated;
    time = scored;
  }
}

void CpuBackend::score_for_nodes(const CandidateRow& row, Worker& worker) {
  score_candidate(row, worker, [&](std::size_t begin, std::size_t end) {
    kernels_.score(row, begin, end, worker.histograms.data(), worker.best.data());
  });
}

/// For ferns: scores one split for all nodes.
void CpuBackend::score_for_level(const CandidateRow& row, Worker& worker) {
  std::vector<std::uint64_t>& sums = worker.shared_scores;
  sums.assign(static_cast<std::size_t>(row.num_thresholds), 0);
  score_candidate(row, worker, [&](std::size_t begin, std::size_t end) {
    kernels_.add_shared_scores(row, begin, end, worker.histograms.data(), sums.data());
  });
  offer_shared(row, worker);
}

/// Updates the worker's best shared split. @param worker  Has the sums of the candidate's scores.
void CpuBackend::offer_shared(const CandidateRow& row, Worker& worker) {
  for (int t = 0; t < row.num_thresholds; ++t)
    if (const SharedSplit split{worker.shared_scores[static_cast<std::size_t>(t)], row.candidate, t};
        split.is_better_than(worker.shared_best))
      worker.shared_best = split;
}

/// Stage 1, with the computation of bins.
void CpuBackend::respond(const CandidateChunk& chunk) {
  if (!levels_.empty()) return;  // bins were computed ahead
  chunk_bins_.reset(chunk.first, chunk.size(), frontier_->num_samples());
  for_each_block(frontier_->samples(),
                 [&](const image::FrameView& frame, std::size_t first, std::size_t count, Worker& worker) {
                   respond_block(chunk, frame, first, count, worker, chunk_bins_);
                   meter_.add(kRespondShare * static_cast<double>(count * chunk.size()));
                 });
}

template <typename Score>
void CpuBackend::keep_best(const OpenNodes& nodes, const CandidateChunk& chunk, Share candidates, const Score& score) {
  for (Worker& worker : workers_) worker.best.assign(nodes.size(), BestSplit{}), worker.shared_best = {};
  pool_.for_each(candidates.size(), [&](std::size_t i, int w) {
    check_stop();
    score(candidates.begin + i, workers_[static_cast<std::size_t>(w)]);
  });
  ferns_ ? update_shared_best_split(chunk) : update_best_splits(chunk);
}

void CpuBackend::evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) {
  respond(chunk);
  keep_best(nodes, chunk, {0, chunk.size()}, [&](std::size_t f, Worker& worker) {
    const CandidateRow row = candidate_row(nodes, chunk, f, options.score_used());
    ferns_ ? score_for_level(row, worker) : score_for_nodes(row, worker);
    meter_.add((1 - kRespondShare) * static_cast<double>(frontier_->num_samples()));
  });
}

std::vector<std::uint32_t> CpuBackend::count(const OpenNodes& nodes, const CandidateChunk& chunk,
                                             const TrainOptions& options) {
  respond(chunk);
  const std::size_t width = count_width(nodes, options);
  std::vector<std::uint32_t> counts(chunk.size() * width, 0);
  pool_.for_each(chunk.size(), [&](std::size_t f, int w) {
    check_stop();
    const double start = seconds_now();
    CandidateRow row = candidate_row(nodes, chunk, f, options.score_used());
    row.nodes = view_of(frontier_->nodes());
    kernels_.aggregate(row, 0, nodes.size(), counts.data() + f * width);
    workers_[static_cast<std::size_t>(w)].seconds.aggregate += seconds_now() - start;
    meter_.add((1 - kRespondShare) * static_cast<double>(frontier_->num_samples()));
  });
  return counts;
}

void CpuBackend::score(const OpenNodes& nodes, const CandidateChunk& chunk, Share candidates,
                       const TrainOptions& options, std::uint32_t* counts) {
  const std::size_t width = count_width(nodes, options);
  keep_best(nodes, chunk, candidates, [&](std::size_t f, Worker& worker) {
    const double start = seconds_now();
    const CandidateRow row = candidate_row(nodes, chunk, f, options.score_used());
    std::uint32_t* const histograms = counts + (f - candidates.begin) * width;
    if (ferns_) {
      worker.shared_scores.assign(static_cast<std::size_t>(row.num_thresholds), 0);
      kernels_.add_shared_scores(row, 0, nodes.size(), histograms, worker.shared_scores.data());
      offer_shared(row, worker);
    } else {
      kernels_.score(row, 0, nodes.size(), histograms, worker.best.data());
    }
    worker.seconds.score += seconds_now() - start;
  });
}

void CpuBackend::evaluate_share(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options,
                                Ranks& ranks) {
  std::vector<std::uint32_t> sums = ranks.sum_rows(count(nodes, chunk, options), chunk.size());
  score(nodes, chunk, share_of(chunk.size(), ranks.rank(), ranks.num_ranks()), options, sums.data());
}

/// Updates the best splits so far with those of a chunk.
void CpuBackend::update_best_splits(const CandidateChunk& chunk) {
  for (const Worker& worker : workers_)
    for (std::size_t n = 0; n < chosen_.size(); ++n) {
      const BestSplit& best = worker.best[n];
      if (!is_better(best, chosen_[n].best)) continue;
      const std::size_t f = static_cast<std::size_t>(best.candidate) - chunk.first;
      chosen_[n] = {best, chunk.features[f], chunk.thresholds(f, static_cast<std::size_t>(best.threshold))};
    }
}

void CpuBackend::update_shared_best_split(const CandidateChunk& chunk) {
  for (const Worker& worker : workers_) {
    const SharedSplit& best = worker.shared_best;
    if (!best.is_better_than(shared_best_)) continue;
    shared_best_ = best;
    const std::size_t f = static_cast<std::size_t>(best.candidate) - chunk.first;
    std::ranges::fill(chosen_, ChosenSplit{best.of_node(), chunk.features[f],
                                           chunk.thresholds(f, static_cast<std::size_t>(best.threshold))});
  }
}

LevelBest CpuBackend::best(const OpenNodes&) { return {chosen_, ferns_ ? std::optional(shared_best_) : std::nullopt}; }

void CpuBackend::descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) {
  const std::vector<std::uint32_t> going_on = frontier_->descend(children, sides_, nodes);
  if (!levels_.empty()) levels_.pop_front();
  for (LevelBins& level : levels_) level.keep(going_on, pool_);
  begin_level(nodes);
}

void CpuBackend::begin_level(const OpenNodes& nodes) {
  chosen_.assign(nodes.size(), {});
  shared_best_ = {};
}

StageSeconds CpuBackend::take_seconds() {
  StageSeconds sum;
  for (Worker& worker : workers_) {
    sum += worker.seconds;
    worker.seconds = {};
  }
  return sum;
}

// Selects the kernel variant for a CPU: level_kernels.cpp is compiled once for each instruction set.

FW_ISA_TABLES(LevelKernels, level_kernels_table)

const LevelKernels& level_kernels(Isa isa) { return level_kernels_table_of(isa); }

}  // namespace fernwood::train
