// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "train/cuda/cuda_backend.h"

#include <algorithm>

#include "fernwood/core/error.h"
#include "fernwood/core/text.h"

namespace fernwood::train {

namespace {

/// Maximum number of open nodes of a level: nodes have at least min_samples samples.
std::size_t most_nodes(std::size_t num_samples, const TrainOptions& options) {
  return num_samples / static_cast<std::size_t>(std::max(2, options.min_samples)) + 1;
}

/// Size of one feature's shared scores in 32-bit units: one 64-bit number for each threshold of ferns.
std::size_t shared_score_numbers(const TrainOptions& options) {
  return options.algorithm == forest::ForestKind::kFerns ? 2 * static_cast<std::size_t>(options.thresholds) : 0;
}

/// Size of one feature at a level in 32-bit units: a response for each sample, a count for each class and threshold,
/// and shared scores.
std::size_t numbers_per_feature(std::size_t num_samples, std::size_t num_counts, const TrainOptions& options) {
  return num_samples + num_counts + shared_score_numbers(options);
}

}  // namespace

CudaBackend::CudaBackend(FrameCache& cache, const LevelBudget& budget, std::size_t num_shares, int gpu,
                         std::stop_token stop, ProgressMeter& meter)
    : cache_(cache),
      leaf_finder_(cache),
      budget_(budget),
      num_shares_(num_shares),
      gpu_(gpu),
      stop_(std::move(stop)),
      meter_(meter),
      window_capacity_(window_capacity()) {}

/// Allocates the memory for the tree, so that levels need not. @param num_samples  Over all ranks.
void CudaBackend::reserve(const SampleSet& samples, std::size_t num_samples, std::size_t num_classes) {
  const std::size_t most = most_nodes(num_samples, options_);
  // A sample adds one class to a node, in boosting two pairs of rows.
  const std::size_t most_classes =
      std::min(most * num_classes, (counts_pairs(options_.score_used()) ? 4 : 1) * num_samples);
  const auto num_features = static_cast<std::size_t>(options_.features);
  frontier_.start(samples, most, num_classes, stream_);
  groups_.reserve(samples.size());
  nodes_.reserve(most);
  best_keys_.resize(most);
  chosen_.resize(most);
  host_chosen_.resize(most);
  class_counts_.reserve(most_classes);
  chosen_left_.resize(most_classes);
  host_left_.resize(most_classes);
  slices_.reserve(most + samples.size() / kMaxSliced);
  for (Slot& slot : std::span(slots_).first(num_shares_ > 1 ? 2 : 1)) {
    slot.features.reserve(num_features);
    slot.thresholds.reserve(num_features * static_cast<std::size_t>(options_.thresholds));
  }
  chunk_plan_.reserve(num_features);
  const std::size_t num_counts = std::min(most_classes, 8 * most) * static_cast<std::size_t>(options_.thresholds);
  const LevelMemory memory = divide_gpu_memory({.samples = samples.size(),
                                                .candidates = num_features,
                                                .levels = static_cast<std::size_t>(options_.max_depth),
                                                .counts = numbers_per_feature(0, num_slots() * num_counts, options_),
                                                .padding = padding(num_counts)},
                                               budget_);
  const std::size_t work = memory.bytes / sizeof(std::uint32_t);
  // Another training may divide memory differently. Trees of one training differ by few samples, so that reallocation
  // is rare.
  if (memory.levels_ahead == 0)
    ahead_.release();
  else if (!ahead_.has_room())
    work_ = {};
  if (work_.size() < work / 8 * 7) work_.resize(work);
  if (memory.levels_ahead > 0) ahead_.reserve(memory.levels_ahead, samples.size(), num_features);
}

std::size_t CudaBackend::levels_ahead(const TrainOptions& options, std::size_t num_levels) const {
  if (ahead_.holds_level()) return 0;
  const std::size_t fitting =
      std::min(num_levels, ahead_.levels_that_fit(frontier_.size(), static_cast<std::size_t>(options.features)));
  return frontier_.size() > 0 ? fitting : 0;
}

void CudaBackend::start_levels(const std::vector<CandidateChunk>& levels) {
  ahead_.begin(levels, frontier_.size(), stream_);
  frontier_.number_samples(stream_);
  clock_.start(stream_);
  respond(ahead_.plan(), ahead_.level(), ahead_.level_size());
  clock_.end(&StageSeconds::respond, stream_);
}

void CudaBackend::start(const SampleSet& samples, const GrowingTree& growing, const OpenNodes& nodes,
                        const TrainOptions& options) {
  cuda::use_gpu(gpu_);
  options_ = options;
  ahead_.forget();
  if (nodes.size() == 0) return;
  tree_frames_ = samples.frames;
  cuda::upload(tree_frames_, gpu_tree_frames_, stream_);
  reserve(samples, std::max(samples.size(), nodes.num_samples()), growing.num_classes);
  const bool at_root = growing.nodes.size() == 1;
  std::vector<std::uint32_t> node_of;
  if (!at_root || num_shares_ > 1) node_of = route(samples, growing);
  if (num_shares_ > 1) held_ = nodes.with_samples(count_rows(samples, node_of, nodes));
  at_root ? frontier_.assign_all(held(nodes), stream_) : frontier_.assign(node_of, held(nodes), stream_);
  begin_level(nodes);
}

/// Index of the open node of every sample, or kNoNode.
std::vector<std::uint32_t> CudaBackend::route(const SampleSet& samples, const GrowingTree& growing) {
  std::vector<std::uint32_t> node_of = find_leaves(samples, growing.nodes);
  const auto first_open = static_cast<std::uint32_t>(growing.num_closed());
  for (std::uint32_t& node : node_of) node = node < first_open ? kNoNode : node - first_open;
  return node_of;
}

void CudaBackend::begin_level(const OpenNodes& nodes) {
  nodes_.upload(held(nodes).nodes, stream_);
  if (held_) all_nodes_.upload(nodes.nodes, stream_);
  class_counts_.upload(nodes.class_counts, stream_);
  slices_.upload(cut_slices(held(nodes)), stream_);
  level_chunk_ = 0;
  level_responses_.reset();
  forget_best(nodes);
}

void CudaBackend::forget_best(const OpenNodes& nodes) {
  chosen_left_.resize(nodes.class_counts.size());
  cuda::fill_with_zeros(chosen_left_.view(), stream_);
  shared_best_.resize(1);
  cuda::fill_with_zeros(shared_best_.view(), stream_);
  begin_level_cuda(best_keys_.data(), chosen_.data(), nodes.size(), stream_);
  cuda::fill_with_zeros(View1<std::uint8_t>{frontier_.sides(), frontier_.size()}, stream_);
}

std::size_t CudaBackend::chunk_size(const OpenNodes& nodes, const TrainOptions& options) const {
  constexpr std::size_t kHostBytes = std::size_t{1} << 30;
  const std::size_t num_counts = nodes.class_counts.size() * static_cast<std::size_t>(options.thresholds);
  const std::size_t num_responses = ahead_.holds_level() ? 0 : frontier_.size();
  const std::size_t numbers = numbers_per_feature(num_responses, num_slots() * num_counts, options);
  const auto all = static_cast<std::size_t>(options.features);
  FW_CHECK(work_.size() >= 32 * numbers + padding(num_counts), Resource,
           "the GPU has room for " << format_bytes(work_.size_bytes()) << " of responses, 32 features at "
                                   << frontier_.size() << " samples need "
                                   << format_bytes((32 * numbers + padding(num_counts)) * sizeof(std::uint32_t))
                                   << "; lower " << named_option("samples-per-frame") << " or "
                                   << named_option("gpu-memory") << ", or use " << named_option("device", "cpu"));
  const std::size_t size =
      std::min((work_.size() - padding(num_counts)) / numbers, kHostBytes / threshold_bytes(options));
  if (size >= row_length(all)) return all;
  return std::max<std::size_t>(1, size > 32 ? size / 32 * 32 : std::min(size, all));
}

void CudaBackend::upload_chunk(const CandidateChunk& chunk) {
  Slot& slot = slots_[slot_];
  slot.scored.wait_event(stream_);
  slot.features.upload({chunk.features.data(), chunk.features.size()}, stream_);
  slot.thresholds.upload({chunk.thresholds.data(), chunk.thresholds.size()}, stream_);
  if (!ahead_.holds_level())
    chunk_plan_.upload(plan_responses({{chunk.features.data(), chunk.features.size()}}, chunk.size()), stream_);
}

SampledFrames CudaBackend::frames_in_range(std::uint32_t begin, std::uint32_t end) {
  return {.frames = cache_.table(),
          .tree_frames = gpu_tree_frames_.data(),
          .frame_of = frontier_.frame_of().data,
          .starts = frontier_.frame_starts().data,
          .begin = begin,
          .end = end,
          .sites = frontier_.sites()};
}

void CudaBackend::visit_frames(const std::function<void(const SampledFrames&)>& work) {
  cache_.visit(tree_frames_, stream_, [&](std::uint32_t begin, std::uint32_t end) {
    FW_CHECK(!stop_.stop_requested(), Interrupted, "training was interrupted");
    work(frames_in_range(begin, end));
  });
}

/// Stage 1. @param level_size  See RespondArgs.
void CudaBackend::respond(const GpuResponsePlan& plan, View2<float> responses, std::size_t level_size) {
  visit_frames([&](const SampledFrames& samples) {
    respond_cuda({.samples = samples,
                  .features = plan.features.view(),
                  .columns = plan.columns.data(),
                  .first_map = plan.first_map,
                  .runs = plan.runs.view(),
                  .responses = responses,
                  .level_size = level_size,
                  .room = {{options_.max_offset, options_.max_half_extent}, window_capacity_}},
                 groups_, stream_);
  });
  response_bytes_ += 2 * responses.rows * plan.features.size() * sizeof(float);
}

/// Memory of a chunk: shared scores, also in whole cache lines; then responses that were not computed ahead; then
/// counts.
CudaBackend::Places CudaBackend::places_of(const CandidateChunk& chunk, bool ahead) {
  std::uint32_t* const begin = work_.data() + shared_score_numbers(options_) * row_length(level_chunk_);
  if (ahead) {
    const View2<float> level = ahead_.level();
    return {{level.data + chunk.first, level.rows, level.cols}, frontier_.numbers().data, begin};
  }
  return {{reinterpret_cast<float*>(begin), frontier_.size(), row_length(chunk.size())},
          frontier_.frame_order().data,
          begin + frontier_.size() * row_length(level_chunk_)};
}

LevelArgs CudaBackend::level_args(const OpenNodes& nodes, const CandidateChunk& chunk, ScoreKind score,
                                  const Places& places) {
  return {.responses = {places.responses.data, places.responses.rows, places.responses.cols},
          .rows = places.rows,
          .features = slots_[slot_].features.data(),
          .thresholds = slots_[slot_].thresholds.data(),
          .node_classes = frontier_.node_classes(),
          .nodes = {nodes_.data(), nodes.size()},
          .slices = {slices_.data(), slices_.size()},
          .class_counts = class_counts_.data(),
          .num_class_rows = static_cast<std::uint32_t>(nodes.class_counts.size()),
          .left_counts = places.counts,
          .best_keys = best_keys_.data(),
          .shared_scores = reinterpret_cast<unsigned long long*>(work_.data()),
          .shared_best = shared_best_.data(),
          .num_features = static_cast<std::uint32_t>(chunk.size()),
          .block_features = static_cast<std::uint32_t>(chunk.size()),
          .num_thresholds = static_cast<std::int32_t>(chunk.thresholds.cols()),
          .first_candidate = static_cast<std::int32_t>(chunk.first),
          .score = score};
}

/// Runs stage 1, unless it was done ahead, and returns the arguments of the other stages.
LevelArgs CudaBackend::respond_to(const OpenNodes& nodes, const CandidateChunk& chunk, ScoreKind score) {
  const Places places = places_of(chunk, ahead_.holds_level());
  clock_.start(stream_);
  if (!ahead_.holds_level()) respond(chunk_plan_, places.responses, 0);
  clock_.end(&StageSeconds::respond, stream_);
  return level_args(nodes, chunk, score, places);
}

void CudaBackend::evaluate(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options) {
  FW_CHECK(!stop_.stop_requested(), Interrupted, "training was interrupted");
  upload_chunk(chunk);
  level_chunk_ = chunk.size();
  const LevelArgs args = respond_to(nodes, chunk, options.score_used());
  aggregate_cuda(args, nodes.most_classes(), stream_);
  clock_.end(&StageSeconds::aggregate, stream_);
  options.algorithm == forest::ForestKind::kFerns ? score_shared_cuda(args, stream_) : score_cuda(args, stream_);
  clock_.end(&StageSeconds::score, stream_);
  const WinnerArgs winners = winner_args(args);
  note_splits_cuda(winners, stream_);
  note_sides_cuda(winners, stream_);
  clock_.end(&StageSeconds::split, stream_);
  sides_known_ = true;
  meter_.add(static_cast<double>(frontier_.size()) * static_cast<double>(chunk.size()));
}

/// Each rank's share of the candidates has a block of counts; all blocks have the same size.
void CudaBackend::evaluate_share(const OpenNodes& nodes, const CandidateChunk& chunk, const TrainOptions& options,
                                 Ranks& ranks) {
  FW_CHECK(!stop_.stop_requested(), Interrupted, "training was interrupted");
  upload_chunk(chunk);
  level_chunk_ = std::max(level_chunk_, chunk.size());
  LevelArgs args = respond_to(nodes, chunk, options.score_used());
  const auto all = static_cast<std::size_t>(options.features);
  if (ahead_.holds_level() || chunk.size() == all) level_responses_ = args.of_level(chunk.first, all);
  const std::size_t num_ranks = ranks.num_ranks();
  const auto of_rank = [&](std::size_t candidates) {
    return static_cast<std::uint32_t>((candidates + num_ranks - 1) / num_ranks);
  };
  Slot& slot = slots_[slot_];
  args.block_features = of_rank(level_chunk_);
  args.left_counts += slot_ * num_ranks * args.block_size();
  args.block_features = of_rank(chunk.size());
  slot.block_size = args.block_size();
  cuda::fill_with_zeros(View1<std::uint32_t>{args.left_counts, num_ranks * slot.block_size}, stream_);
  aggregate_cuda(args, nodes.most_classes(), stream_);
  slot.own = args.block(ranks.rank());
  clock_.end(&StageSeconds::aggregate, stream_);
  slot.counted.record(stream_);
  slot.own.nodes = all_nodes_.view();
  slot.ranks = &ranks;
  sides_known_ = false;
  meter_.add(static_cast<double>(frontier_.size()) * static_cast<double>(chunk.size()));
  slot_ = 1 - slot_;
  finish(slots_[slot_]);  // the previous chunk, while this one is counted
}

/// Adds up the counts of a chunk, and scores this rank's share of the candidates.
void CudaBackend::finish(Slot& slot) {
  if (!slot.ranks) return;
  Ranks& ranks = *std::exchange(slot.ranks, nullptr);
  slot.counted.wait_event(sums_stream_);
  count_sum_.add_up(slot.own.left_counts - ranks.rank() * slot.block_size, slot.block_size, ranks, sums_stream_);
  sums_clock_.start(sums_stream_);
  options_.algorithm == forest::ForestKind::kFerns ? score_shared_cuda(slot.own, sums_stream_)
                                                   : score_cuda(slot.own, sums_stream_);
  note_splits_cuda(winner_args(slot.own), sums_stream_);
  sums_clock_.end(&StageSeconds::score, sums_stream_);
  slot.scored.record(sums_stream_);
}

LevelBest CudaBackend::best(const OpenNodes& nodes) {
  for (Slot& slot : slots_) {
    finish(slot);
    slot.scored.wait_event(stream_);
  }
  host_left_.resize(nodes.class_counts.size());
  host_shared_best_.resize(1);
  cuda::copy_to_host(chosen_.data(), nodes.size(), host_chosen_.data(), stream_);
  cuda::copy_to_host(chosen_left_.data(), nodes.class_counts.size(), host_left_.data(), stream_);
  cuda::copy_to_host(shared_best_.data(), 1, host_shared_best_.data(), stream_);
  stream_.synchronize();
  LevelBest best{{host_chosen_.data(), host_chosen_.data() + nodes.size()}};
  if (options_.algorithm == forest::ForestKind::kFerns)
    best.shared = {*host_shared_best_.data(), best.chosen[0].best.candidate, best.chosen[0].best.threshold};
  return best;
}

void CudaBackend::descend(const std::vector<std::uint32_t>& children, const OpenNodes& nodes) {
  ahead_.end_level();
  if (nodes.size() == 0) return;
  if (held_) {
    Array2<std::uint32_t> counts(nodes.size(), side_counts_.cols());
    for (std::size_t side = 0; side < children.size(); ++side)
      if (children[side] != kNoNode) std::copy_n(side_counts_.row(side), counts.cols(), counts.row(children[side]));
    held_ = nodes.with_samples(counts);
  }
  frontier_.descend(children, held(nodes), stream_);
  begin_level(nodes);
}

StageSeconds CudaBackend::take_seconds() {
  StageSeconds seconds = clock_.take();
  seconds += sums_clock_.take();
  return seconds;
}

void StageClock::mark(Stage stage, const cuda::Stream& stream) {
  if (used_ == marks_.size()) marks_.emplace_back();
  marks_[used_].event.record(stream);
  marks_[used_].stage = stage;
  ++used_;
}

void StageClock::start(const cuda::Stream& stream) { mark(nullptr, stream); }
void StageClock::end(Stage stage, const cuda::Stream& stream) { mark(stage, stream); }

StageSeconds StageClock::take() {
  StageSeconds seconds;
  for (std::size_t i = 1; i < used_; ++i)
    if (marks_[i].stage) seconds.*marks_[i].stage += marks_[i].event.seconds_since(marks_[i - 1].event);
  used_ = 0;
  return seconds;
}

void ResponsesAhead::reserve(std::size_t num_levels, std::size_t num_samples, std::size_t num_features) {
  const std::size_t size = num_levels * num_samples * row_length(num_features);
  if (responses_.size() < size) responses_.resize(size + size / 64);
}

void ResponsesAhead::begin(const std::vector<CandidateChunk>& levels, std::size_t num_samples,
                           const cuda::Stream& stream) {
  num_samples_ = num_samples;
  columns_ = row_length(levels.front().size());
  num_levels_ = levels.size();
  level_ = 0;
  std::vector<View1<const forest::RegionFeature>> of_levels;
  for (const CandidateChunk& level : levels) of_levels.push_back({level.features.data(), level.features.size()});
  plan_.upload(plan_responses(of_levels, columns_), stream);
}

}  // namespace fernwood::train
