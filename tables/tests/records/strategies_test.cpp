// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/failing_gpu.h"
#include "fernwood/core/device.h"
#include "records/evaluate/packed_forest.h"
#include "records/every_strategy.h"

namespace fernwood::records {
namespace {

/// Kinds of forests that each strategy rejects; it must support all others.
Kinds refused_by(const StrategyCase& each) {
  static const Kinds several_attributes = all_kinds_but({"OneAttribute", "ATreeOfOneAttribute"});
  static const std::map<std::string, Kinds> refusals = {
      {"interval", several_attributes},
      {"bit-mask", {"ATreeOfThousandsOfNodes"}},
      {"gpu-interval", several_attributes},
      {"heap-order",
       {"ADeepThinTree", "ATreeOfThousandsOfNodes", "ManyAttributes", "OneAttribute", "SetsOfMissingValues"}},
      {"table-shared", {"OneAttribute"}},
      {"table-read-only", {"OneAttribute"}},
      {"speculative-warp", all_kinds_but({"ATreeThatIsALeaf", "ATreeOfOneAttribute", "ATreeOfAFewTests"})}};
  const auto found = refusals.find(each.strategy.name);
  Kinds kinds = found == refusals.end() ? Kinds{} : found->second;
  if (each.values == Values::kRanks && !each.device.is_cpu()) kinds.merge(kinds_without_ranks_on_gpus());
  return kinds;
}

TEST(StrategiesOnGpus, HaveRanksButForWhatIsRefused) {
  Kinds refused;
  for (const ForestKind& kind : forest_kinds())
    if (!packed_unsupported(*make_evaluation_model(forest_of(kind)), Values::kRanks).empty()) refused.insert(kind.name);
  EXPECT_EQ(refused, kinds_without_ranks_on_gpus());
}

class EveryStrategy : public testing::TestWithParam<StrategyCase> {};
INSTANTIATE_TEST_SUITE_P(EveryDevice, EveryStrategy, testing::ValuesIn(strategy_cases(product_strategies().rows())),
                         name_of);

TEST_P(EveryStrategy, GivesTheClassesOfTheRule) { check_strategy(GetParam(), refused_by(GetParam())); }

TEST_P(EveryStrategy, GivesTheClassOfFloatingPointSumsWhereWholeOnesAreClose) {
  RecordForest forest = with_float_sums(forest_of(GetParam().kind), {.has_classes = true});
  for (RecordTree& tree : forest.trees)
    for (std::int32_t& value : tree.leaf_values) value = value % 3 * 64;
  forest.base.assign(forest.base.size(), 0);
  check_strategy(GetParam(), refused_by(GetParam()), forest);
}

/// Kinds rejected for values; strategies that only find classes reject all.
Kinds refused_values(const StrategyCase& each) {
  const bool classes_only = each.strategy.name.find("interval") != std::string::npos ||
                            each.strategy.name.find("speculative") != std::string::npos;
  return classes_only ? all_kinds_but({}) : refused_by(each);
}

TEST_P(EveryStrategy, GivesTheValuesOfTheRule) {
  check_values(GetParam(), refused_values(GetParam()), {.is_single = false});
  check_values(GetParam(), refused_values(GetParam()), {.is_single = true, .has_classes = true, .has_bias = true});
}

/// Classifies increasing numbers of records, both directly and as kept records, so that memory grows step by step.
void expect_classes(RecordEvaluator& evaluator, Device device, const std::vector<float>& rows,
                    const std::vector<std::int32_t>& expected) {
  const std::size_t width = rows.size() / expected.size();
  for (const std::size_t count : {std::size_t{5}, std::size_t{90}, expected.size()}) {
    const RecordView first = records_by_rows(rows.data(), count, width);
    const std::vector<std::int32_t> expected_first(expected.begin(), expected.begin() + static_cast<int>(count));
    std::vector<std::int32_t> classes(count, -7);
    evaluator.classify(first, classes.data());
    EXPECT_EQ(classes, expected_first);
    const KeptRecords kept = keep_records(device, first);
    evaluator.evaluate_kept(kept);
    classes.assign(count, -7);
    evaluator.fetch_kept({.numbers = classes.data()});
    EXPECT_EQ(classes, expected_first);
  }
}

class GpuStrategies : public DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Every, GpuStrategies, testing::ValuesIn(gpus()), name_of_device);

TEST_P(GpuStrategies, LeaveWhatTheyFindOfRecordsThatLieThere) {
  for (const std::string name : {"AForestOfTwoClasses", "BoostedTreesOfManyClasses", "ManyAttributes",
                                 "SetsOfCategories", "SetsOfMissingValues"}) {
    const ForestKind& kind = *std::ranges::find(forest_kinds(), name, &ForestKind::name);
    RecordForest forest = with_float_sums(forest_of(kind), {.has_classes = true});
    for (RecordTree& tree : forest.trees)  // makes many classes undecided
      for (std::int32_t& value : tree.leaf_values) value = value % 3 * 64;
    forest.base.assign(forest.base.size(), 0);
    const std::size_t width = forest.attributes.size(), count = kind.num_records, outputs = forest.num_outputs();
    const std::vector<float> rows = tricky_records(forest, count, 7);
    const std::vector<std::int32_t> expected = expected_classes(forest, rows);
    const KeptRecords kept = keep_records(GetParam(), records_by_rows(rows.data(), count, width));
    DeviceMemory numbers(GetParam(), count * sizeof(std::int32_t)), sums(GetParam(), count * outputs * sizeof(double));
    DeviceStream stream(GetParam());
    const EvaluatorOptions options = {.device = to_string(GetParam()), .remember = false};
    const auto classes = make_record_evaluator(forest, options);
    classes->evaluate_on_device(kept.view, {.numbers = static_cast<std::int32_t*>(numbers.data())}, stream.handle());
    ValueEvaluator values(forest, options);
    values.find_margins_on_device(kept.view, static_cast<double*>(sums.data()), stream.handle());
    stream.synchronize();
    std::vector<std::int32_t> found(count);
    std::vector<double> margins(count * outputs), expected_sums(outputs);
    numbers.read(found.data(), numbers.size_bytes());
    sums.read(margins.data(), sums.size_bytes());
    EXPECT_EQ(found, expected) << name;
    for (std::size_t i = 0; i < count; ++i) {
      sum_values(forest, rows.data() + i * width, expected_sums.data());
      for (std::size_t k = 0; k < outputs; ++k) ASSERT_EQ(margins[i * outputs + k], expected_sums[k]) << name;
    }
  }
}

TEST_P(GpuStrategies, PredictOfRecordsThatLieThereWhatTheHostPredicts) {
  const ForestKind& kind = *std::ranges::find(forest_kinds(), "SetsOfCategories", &ForestKind::name);
  const RecordForest grown = forest_of(kind);
  std::vector<RecordForest> forests = {grown, with_float_sums(grown, {.has_classes = true})};
  for (const Link link : {Link::kIdentity, Link::kExponential, Link::kSigmoid, Link::kIsolation}) {
    RecordForest& forest = forests.emplace_back(with_float_sums(grown, {.is_single = link == Link::kExponential}));
    forest.link = link;
    forest.float_sums->divisor = 1 << 27;  // keeps exponentials finite
  }
  const std::size_t width = grown.attributes.size(), count = kind.num_records;
  const std::vector<float> rows = tricky_records(grown, count, 7), turned = by_columns(rows, width);
  for (const RecordForest& forest : forests)
    for (const RecordView& records :
         {records_by_rows(rows.data(), count, width), records_by_columns(turned.data(), count, width)}) {
      const KeptRecords kept = keep_records(GetParam(), records);
      DeviceMemory there(GetParam(), count * forest.num_predicted() * sizeof(double));
      const DeviceStream stream(GetParam());
      ValueEvaluator on_gpu(forest, {.device = to_string(GetParam()), .remember = false});
      on_gpu.predict_on_device(kept.view, static_cast<double*>(there.data()), stream.handle());
      stream.synchronize();
      std::vector<double> found(count * forest.num_predicted()), expected(found.size());
      there.read(found.data(), there.size_bytes());
      ValueEvaluator(forest, {.device = "cpu"}).predict(records, expected.data());
      EXPECT_EQ(found, expected) << to_string(forest.link);
    }
}

TEST_P(GpuStrategies, WorkAfterTheGpusMemoryRanOutAtAnyAllocation) {
  const ForestKind& kind = *std::ranges::find(forest_kinds(), "ATreeOfOneAttribute", &ForestKind::name);
  const RecordForest forest = forest_of(kind);  // supported by all strategies
  const std::vector<float> rows = tricky_records(forest, kind.num_records, 7);
  const std::vector<std::int32_t> expected = expected_classes(forest, rows);
  for (const Strategy& strategy : product_strategies().rows())
    for (const Values values : kValues) {
      if (!strategy.on_gpu || (values == Values::kRanks && !strategy.has_ranks)) continue;
      const StrategyRequest request = {make_evaluation_model(forest), strategy.name, values, GetParam(), 1};
      SCOPED_TRACE(describe_request(request));
      std::unique_ptr<RecordEvaluator> evaluator;
      const auto classify = [&] {
        evaluator.reset();
        evaluator = product_strategies().make_evaluator(request);
        expect_classes(*evaluator, GetParam(), rows, expected);
      };
      expect_gpu_memory_errors(classify, [&] {
        // The small number first: after a failed growth, the buffer is empty.
        if (evaluator) expect_classes(*evaluator, GetParam(), rows, expected);
      });
    }
}

TEST(Strategies, SayThatTheyTakeNoRanks) {
  const SharedModel model = make_evaluation_model(random_forest({.trees = 2, .depth = 3, .classes = 2, .seed = 3}));
  const Strategy& serial = product_strategies().find("serial");
  EXPECT_EQ(why_unsupported(serial, *model, Values::kFloat, Device{}), "");
  EXPECT_EQ(why_unsupported(serial, *model, Values::kRanks, Device{}).on_command_line(),
            "it takes values as they are; use --values float");
}

}  // namespace
}  // namespace fernwood::records
