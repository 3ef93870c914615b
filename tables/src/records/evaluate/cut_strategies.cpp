// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/evaluate/strategy.h"

#include <algorithm>

#include "core/isa.h"
#include "records/evaluate/answer_sums.h"
#include "records/evaluate/block_columns.h"
#include "records/evaluate/cut_forest.h"
#include "records/evaluate/evaluation_kernels.h"

namespace fernwood::records {

FW_ISA_TABLES(EvaluationKernels, evaluation_kernels_table)

const EvaluationKernels& evaluation_kernels(Isa isa) { return evaluation_kernels_table_of(isa); }

namespace {

// Records of a block, multiples of kBlockStep, which every kGroup and kRankTile divide. Blocks are larger for large
// trees, so that many records use a tree while it is in the L2 cache; but threads need several blocks each to end
// together. They are smaller for records of many attributes, of which each thread has a copy.
constexpr std::size_t kBlockStep = 128, kBlock = 1024, kBlockOfLargeTrees = 4096;
constexpr std::size_t kLargeTreeBytes = std::size_t{1} << 18, kMaxBlockBytes = std::size_t{1} << 25;

std::size_t block_of(const EvaluationModel& model) {
  const FlatForest& flat = model.flat;
  const std::size_t bytes = flat.nodes.size() * sizeof(FlatNode) / std::max<std::size_t>(1, flat.trees.size());
  const std::size_t record_bytes = std::max<std::size_t>(1, model.forest.attributes.size()) * sizeof(float);
  const std::size_t most = std::max(kBlockStep, kMaxBlockBytes / record_bytes / kBlockStep * kBlockStep);
  return std::min(most, bytes > kLargeTreeBytes ? kBlockOfLargeTrees : kBlock);
}

constexpr std::size_t kMaxLeaves = 4096;
constexpr std::size_t kLineBytes = 64;

/// Reads a large tree into the cache from its first node to its last, if most of its lines will be needed: walks would
/// wait for the memory at one node after another.
template <typename Node>
void read_ahead(const Node* nodes, std::size_t num_nodes, std::size_t num_records) {
  constexpr std::size_t kNodesOfLine = kLineBytes / sizeof(Node);
  if (num_nodes * sizeof(Node) <= kLargeTreeBytes || num_records < num_nodes / (4 * kNodesOfLine)) return;
  for (std::size_t i = 0; i < num_nodes; i += kNodesOfLine) __builtin_prefetch(nodes + i, 0, 2);
}

/// Evaluates a forest over values in the layout of the kernels.
template <typename T>
class CutEvaluation {
 public:
  CutEvaluation(const SharedModel& model, Cut cut, int num_threads)
      : model_(model),
        cut_(cut_forest<T>(*model, cut)),
        kernels_(evaluation_kernels(available_isas().back())),
        sums_(model->flat),
        lanes_hold_answers_((std::is_same_v<T, float>)),
        scratch_(static_cast<std::size_t>(num_threads)) {
    if constexpr (!std::is_same_v<T, float>) rank_nodes_ = rank_nodes(*model);
    if (cut_.trees.size() == 1) lanes_hold_answers_ = lanes_hold_answers_ || exits_fit_lanes();
    for (Scratch& each : scratch_) {
      each.lanes.resize((cut_.most_exits + cut_.most_tests) * kGroup<T>);
      each.places.resize(block_of(*model));
      each.sums.resize(block_of(*model) * sums_.bytes());
      for (std::size_t exit = 0; exit < cut_.most_exits; ++exit) fill_lanes(each, exit, static_cast<Lane<T>>(exit));
    }
  }

  bool merges() const { return cut_.merges(); }
  std::size_t num_trees() const { return cut_.trees.size(); }
  std::size_t width() const { return found_width(*model_); }

  /// @param values  With merges(): by columns, readable up to whole groups.
  void evaluate(const BlockValues<T>& values, const Found& found, int worker) {
    Scratch& scratch = scratch_[static_cast<std::size_t>(worker)];
    const std::size_t count = values.num_records;
    sums_.begin(count, scratch.sums.data());
    for (std::size_t t = 0; t < cut_.trees.size(); ++t) {
      const CutTree& tree = cut_.trees[t];
      const FlatTree& flat = model_->flat.trees[t];
      find_exits(tree, values, scratch);
      if (tree.num_steps > 0) walk(tree, flat, values, scratch);
      sums_.add(t, scratch.places.data(), count, scratch.sums.data(), found);
    }
    sums_.finish(scratch.sums.data(), count, found);
  }

 private:
  struct Scratch {
    AlignedVector<Lane<T>> lanes;
    AlignedVector<std::int32_t> places;
    AlignedVector<std::byte> sums;
  };

  bool exits_fit_lanes() const {
    return std::ranges::all_of(cut_.exits, [](std::int32_t exit) { return exit == static_cast<Lane<T>>(exit); });
  }
  static void fill_lanes(Scratch& scratch, std::size_t exit, Lane<T> number) {
    std::fill_n(scratch.lanes.begin() + static_cast<std::ptrdiff_t>(exit * kGroup<T>), kGroup<T>, number);
  }

  NanSide nan_side() const { return model_->flat.nan_side; }

  void find_exits(const CutTree& tree, const BlockValues<T>& values, Scratch& scratch) {
    const std::int32_t* exits = cut_.exits.data() + tree.first_exit;
    std::int32_t* places = scratch.places.data();
    if (tree.num_tests == 0)
      std::fill_n(places, values.num_records, exits[0]);
    else if (tree.is_oblivious)
      kernels_.index_levels->of(nan_side(), T{})({cut_.layer_tests.data() + tree.first_test, tree.num_layers,
                                                  tree.exits_are_numbers ? nullptr : exits, values, places});
    else if (tree.num_layers > 0)
      kernels_.merge_layers->of(
          nan_side(), T{})({cut_.layer_tests.data() + tree.first_test, tree.num_layers, exits, values, places});
    else
      merge(tree, exits, values, scratch);
  }

  void merge(const CutTree& tree, const std::int32_t* exits, const BlockValues<T>& values, Scratch& scratch) {
    if (lanes_hold_answers_)
      for (std::size_t i = 0; i < tree.num_exits; ++i) fill_lanes(scratch, i, static_cast<Lane<T>>(exits[i]));
    kernels_.merge->of(nan_side(), T{})({{cut_.tests.data() + tree.first_test, tree.num_tests},
                                         cut_.most_exits * kGroup<T>,
                                         lanes_hold_answers_ ? nullptr : exits,
                                         values,
                                         scratch.lanes.data(),
                                         scratch.places.data()});
  }

  void walk(const CutTree& tree, const FlatTree& flat, const BlockValues<T>& values, Scratch& scratch) {
    const auto* nodes = [&] {
      if constexpr (std::is_same_v<T, float>)
        return model_->flat.nodes.data() + flat.first_slot;
      else
        return rank_nodes_.data() + flat.first_slot;
    }();
    std::int32_t* const places = scratch.places.data();
    read_ahead(nodes, flat.num_slots, values.num_records);
    kernels_.walk->of(nan_side(), T{})({nodes, model_->flat.bits, tree.num_steps, values, places});
    const std::int32_t* answers = model_->flat.answers.data() + flat.first_slot;
    for (std::size_t i = 0; i < values.num_records; ++i) places[i] = answers[places[i]];
  }

  SharedModel model_;
  CutForest<T> cut_;
  const EvaluationKernels& kernels_;
  AnswerSums sums_;
  bool lanes_hold_answers_;  // lanes hold the values of exits, not their numbers
  std::vector<RankNode> rank_nodes_;
  std::vector<Scratch> scratch_;
};

/// Float values: in place if the kernels can read them there, otherwise in columns.
class FloatStrategy : public CpuStrategy {
 public:
  FloatStrategy(const SharedModel& model, Cut cut, int num_threads)
      : block_(block_of(*model)),
        evaluation_(model, cut, num_threads),
        to_columns_(model->forest),
        columns_(static_cast<std::size_t>(num_threads),
                 BlockColumns<float>(block_of(*model), evaluation_.merges() ? model->forest.attributes.size() : 0)) {}

  std::size_t block_size() const override { return block_; }

  void evaluate(const RecordView& block, const Found& found, int worker) override {
    // With many trees values are read often, which is faster where columns do not share cache sets.
    const bool by_columns = block.record_step == 1 && evaluation_.num_trees() == 1;
    const std::size_t in_place = !evaluation_.merges() ? block.num_records
                                 : by_columns          ? block.num_records / kGroup<float> * kGroup<float>
                                                       : 0;
    if (in_place > 0) evaluation_.evaluate(values_of(block.part(0, in_place)), found, worker);
    if (in_place == block.num_records) return;
    const RecordView rest = block.part(in_place, block.num_records - in_place);
    evaluation_.evaluate(to_columns_.fill(rest, columns_[static_cast<std::size_t>(worker)]),
                         found.behind(in_place * evaluation_.width()), worker);
  }

 private:
  const std::size_t block_;
  CutEvaluation<float> evaluation_;
  FloatColumns to_columns_;
  std::vector<BlockColumns<float>> columns_;
};

/// Values as ranks; as floats in blocks that ranks cannot represent.
template <typename T>
class RankStrategy : public CpuStrategy {
 public:
  RankStrategy(const SharedModel& model, Cut cut, int num_threads)
      : block_(block_of(*model)),
        ranks_(model->ranks),
        evaluation_(model, cut, num_threads),
        columns_(static_cast<std::size_t>(num_threads), BlockColumns<T>(block_of(*model), ranks_.num_columns())),
        floats_(model, Cut::kNothing, num_threads) {}

  std::size_t block_size() const override { return block_; }

  void evaluate(const RecordView& block, const Found& found, int worker) override {
    if (ranks_.meets_unknown(block)) return floats_.evaluate(block, found, worker);
    evaluation_.evaluate(ranks_.fill(block, columns_[static_cast<std::size_t>(worker)]), found, worker);
  }

 private:
  const std::size_t block_;
  RankColumns ranks_;
  CutEvaluation<T> evaluation_;
  std::vector<BlockColumns<T>> columns_;
  FloatStrategy floats_;
};

std::unique_ptr<CpuStrategy> make_cut(const SharedModel& model, Values values, Cut cut, int num_workers) {
  const bool lanes_can_count = cut != Cut::kAll || most_leaves(model->forest) <= 256;
  if (values == Values::kFloat) return std::make_unique<FloatStrategy>(model, cut, num_workers);
  if (model->ranks.fits_8_bits() && lanes_can_count)
    return std::make_unique<RankStrategy<std::uint8_t>>(model, cut, num_workers);
  return std::make_unique<RankStrategy<std::uint16_t>>(model, cut, num_workers);
}

std::unique_ptr<RecordEvaluator> make(const StrategyRequest& request, Cut cut) {
  auto pool = std::make_shared<ThreadPool>(request.threads);
  auto strategy = make_cut(request.model, request.values, cut, pool->num_threads());
  return evaluate_on_cpu(request, std::move(strategy), std::move(pool));
}

}  // namespace

std::unique_ptr<RecordEvaluator> make_interleaved(const StrategyRequest& request) {
  return make(request, Cut::kNothing);
}
std::unique_ptr<RecordEvaluator> make_bit_mask(const StrategyRequest& request) { return make(request, Cut::kAll); }
std::unique_ptr<RecordEvaluator> make_layered(const StrategyRequest& request) { return make(request, Cut::kLayers); }

OptionSentence bit_mask_unsupported(const EvaluationModel& model, Values, Device) {
  const std::size_t leaves = most_leaves(model.forest);
  if (leaves <= kMaxLeaves) return "";
  return "it takes every test of a tree for every record, a tree has " + std::to_string(leaves) +
         " leaves, and it is made for up to " + std::to_string(kMaxLeaves) + "; use " +
         named_option("strategy", "layered");
}
OptionSentence always_supported(const EvaluationModel&, Values, Device) { return ""; }

}  // namespace fernwood::records
