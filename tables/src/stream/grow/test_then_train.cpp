// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/test_then_train.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::stream {

namespace {

/// Number of a node's records by which its classifier is chosen; when it is exceeded, the numbers are halved.
constexpr std::uint64_t kTestsKept = 2000;
constexpr std::size_t kTestedAtOnce = 4096;                                   ///< Records in a task of a thread.
constexpr std::int32_t kNoAnswer = std::numeric_limits<std::int32_t>::min();  ///< The leaf has seen no records.

std::int32_t rounded_mean(const records::TargetSum& sum) {
  return static_cast<std::int32_t>(std::floor(static_cast<double>(sum.sum) / static_cast<double>(sum.weight) + 0.5));
}

}  // namespace

void TestThenTrain::Tested::add(const Tested& other) {
  of_tree += other.of_tree;
  of_targets += other.of_targets;
  of_nodes.resize(std::max(of_nodes.size(), other.of_nodes.size()));
  for (std::size_t n = 0; n < other.of_nodes.size(); ++n) of_nodes[n].add(other.of_nodes[n]);
  counted.resize(std::max(counted.size(), other.counted.size()));
  for (std::size_t n = 0; n < other.counted.size(); ++n) counted[n].add(other.counted[n]);
}

void TestThenTrain::Tested::pack(Packer& packer) const {
  packer.put(of_tree);
  packer.put(of_targets);
  packer.put(of_nodes);
  packer.put(std::uint64_t{counted.size()});
  for (std::size_t n = 0; n < counted.size(); ++n) {
    packer.put(counted[n].counts);
    packer.put(counted[n].totals);
  }
}

void TestThenTrain::Tested::unpack(Unpacker& unpacker) {
  unpacker.get(of_tree);
  unpacker.get(of_targets);
  unpacker.get(of_nodes);
  const auto num_counted = unpacker.get<std::uint64_t>();
  FW_CHECK(num_counted <= of_nodes.size(), Model, "more nodes have counted records than have tested some");
  counted.resize(static_cast<std::size_t>(num_counted));
  for (BayesCounts& counts : counted) {
    unpacker.get(counts.counts);
    unpacker.get(counts.totals);
  }
}

bool TestThenTrain::is_possible(const NodeTests& tests) {
  return tests.records <= kMaxSeen && tests.else_wrong <= tests.records && tests.bayes_wrong <= tests.records;
}

bool TestThenTrain::is_possible(const Tested& tested) const {
  const auto tests_are_possible = [](const NodeTests& tests) { return is_possible(tests); };
  const auto counts_are_possible = [&](const BayesCounts& counts) { return bayes_.is_possible(counts); };
  return stream::is_possible(tested.of_tree) && stream::is_possible(tested.of_targets) &&
         (targets_ || tested.of_targets.records == 0) && tested.of_nodes.size() <= answers_.size() &&
         std::ranges::all_of(tested.of_nodes, tests_are_possible) &&
         std::ranges::all_of(tested.counted, counts_are_possible);
}

void TestThenTrain::begin_round(const StreamTree& tree) {
  const std::size_t num_nodes = tree.nodes().size();
  if (has_bayes_) follow(tree);
  answers_.assign(num_nodes, kNoAnswer);
  for (std::size_t n = 0; n < num_nodes; ++n) {
    const auto counts = tree.counts(static_cast<std::int32_t>(n));
    if (!tree.nodes()[n].is_leaf() || tree.statistics().num_records(counts) == 0) continue;
    answers_[n] =
        tree.statistics().of_targets ? rounded_mean(sum_of(counts)) : static_cast<std::int32_t>(largest_class(counts));
  }
}

/// Children of nodes that were split begin with the classifier of their parent.
void TestThenTrain::follow(const StreamTree& tree) {
  tests_.resize(tree.nodes().size());
  for (const std::int32_t node : bayes_.follow(tree)) {
    const bool by_bayes = uses_bayes(static_cast<std::size_t>(node));
    tests_[static_cast<std::size_t>(node)] = {};
    for (std::size_t side = 0; side < 2; ++side)
      tests_[static_cast<std::size_t>(tree.nodes()[static_cast<std::size_t>(node)].child) + side] = {by_bayes, by_bayes,
                                                                                                     0};
  }
}

void TestThenTrain::test(const records::RecordTable& batch, const StreamTree& tree) {
  alternates_.clear();
  if (!tree.alternates().empty()) alternates_.assign(tree.nodes().size(), -1);
  for (const Alternate& alternate : tree.alternates())
    alternates_[static_cast<std::size_t>(alternate.node)] = alternate.root;
  const std::size_t num_records = batch.values.rows();
  const std::size_t num_parts = (num_records + kTestedAtOnce - 1) / kTestedAtOnce;
  std::vector<Tested> others(num_parts > 1 ? num_parts - 1 : 0);
  for_each(num_parts > 1 ? pool_ : nullptr, num_parts, [&](std::size_t part) {
    test_some(batch, part_of(num_records, part, num_parts), tree, part == 0 ? mine_ : others[part - 1]);
  });
  for (const Tested& other : others) mine_.add(other);
}

void TestThenTrain::test_some(const records::RecordTable& batch, AttributeRange records, const StreamTree& tree,
                              Tested& tested) const {
  if (targets_) return test_targets(batch, records, tree, tested);
  if (is_adaptive_) tested.of_nodes.resize(tree.nodes().size());
  if (has_bayes_) tested.counted.resize(tree.nodes().size());
  std::vector<std::uint8_t> bins(has_bayes_ ? batch.values.cols() : 0);
  const records::RecordNode* const nodes = tree.nodes().data();
  for (std::size_t i = records.begin; i < records.end; ++i) {
    const TestedRecord record{batch.values.row(i), bins.data(), batch.labels[i]};
    if (has_bayes_) bayes_.find_bins(record.values, bins.data());
    tested.of_tree += test_below(0, nodes, record, tested);
  }
}

void TestThenTrain::test_targets(const records::RecordTable& batch, AttributeRange records, const StreamTree& tree,
                                 Tested& tested) const {
  for (std::size_t i = records.begin; i < records.end; ++i) {
    const float* const values = batch.values.row(i);
    const std::int32_t leaf = descend(tree.nodes().data(), 0, [&](std::size_t attribute) { return values[attribute]; });
    const std::int32_t predicted = answers_[static_cast<std::size_t>(leaf)];
    if (predicted != kNoAnswer) tested.of_targets.add(targets_->number_of(batch.targets[i]), predicted);
  }
}

/// Tests a record in all nodes on its path from a root, and in their alternates.
Errors TestThenTrain::test_below(std::int32_t root, const records::RecordNode* nodes, const TestedRecord& record,
                                 Tested& tested) const {
  std::array<std::int32_t, kMaxDepth + 1> path;
  std::size_t length = 0;
  for (std::int32_t n = root;; n = nodes[n].child + records::side_of(nodes[n], record.values[nodes[n].attribute])) {
    path[length++] = n;
    if (!alternates_.empty() && alternates_[static_cast<std::size_t>(n)] >= 0)
      test_below(alternates_[static_cast<std::size_t>(n)], nodes, record, tested);
    if (nodes[n].is_leaf()) break;
  }
  const std::int32_t majority = answers_[static_cast<std::size_t>(path[length - 1])];
  bool wrong = majority != record.label;
  if (!is_adaptive_) return {majority >= 0, majority >= 0 && wrong};
  if (has_bayes_) bayes_.count(record.bins, record.label, tested.counted[static_cast<std::size_t>(path[length - 1])]);
  if (majority < 0) return {};
  while (length-- > 0) {
    const auto n = static_cast<std::size_t>(path[length]);
    const bool bayes_wrong = bayes_.knows(n) ? bayes_.classify(n, record.bins) != record.label : wrong;
    tested.of_nodes[n].add({1, wrong, bayes_wrong});
    if (uses_bayes(n)) wrong = bayes_wrong;
  }
  return {1, wrong};
}

void TestThenTrain::sum(Communicator& communicator) {
  Tested mine = std::exchange(mine_, {});
  if (communicator.size() == 1) {
    mine.add(round_);
    round_ = std::move(mine);
    return;
  }
  Bytes bytes;
  Packer packer(bytes);
  mine.pack(packer);
  for (const Bytes& told : communicator.gather_all(bytes)) {
    Tested theirs;
    Unpacker unpacker(told);
    theirs.unpack(unpacker);
    FW_CHECK(is_possible(theirs), Runtime,
             "processes disagree about what was tested; start all with the same program and options");
    round_.add(theirs);
  }
}

void TestThenTrain::reset(const CountLayout& layout) {
  targets_ = layout.targets;
  if (!has_bayes_) return;
  bayes_.follow(layout);
  round_.counted.clear();
}

void TestThenTrain::renumber(const std::vector<std::int32_t>& indices, const StreamTree& tree) {
  if (!is_adaptive_ || indices.empty()) return;
  std::vector<NodeTests> tests(tree.nodes().size());
  for (std::size_t n = 0; n < std::min(indices.size(), tests_.size()); ++n)
    if (indices[n] >= 0) tests[static_cast<std::size_t>(indices[n])] = tests_[n];
  tests_ = std::move(tests);
  bayes_.renumber(indices, tree.nodes().size());
}

std::vector<Errors> TestThenTrain::end_round(const StreamTree& tree) {
  Tested round = std::exchange(round_, {});
  std::vector<Errors> errors(round.of_nodes.size());
  for (std::size_t n = 0; n < errors.size(); ++n) {
    const NodeTests& tests = round.of_nodes[n];
    errors[n] = {tests.records, uses_bayes(n) ? tests.bayes_wrong : tests.else_wrong};
  }
  tests_.resize(std::max(tests_.size(), errors.size()));
  for (std::size_t n = 0; n < errors.size(); ++n) {
    if (!bayes_.knows(n)) continue;
    tests_[n].add(round.of_nodes[n]);
    if (tests_[n].records < kTestsKept) continue;
    tests_[n] = {tests_[n].records / 2, tests_[n].else_wrong / 2, tests_[n].bayes_wrong / 2};
  }
  if (has_bayes_) round.counted.resize(tree.nodes().size());  // other processes may have reported fewer
  for (std::size_t n = round.counted.size(); n-- > 0;) {      // children come after their parent, which includes their
                                                              // counts
    BayesCounts& counts = round.counted[n];
    if (const records::RecordNode& node = tree.nodes()[n]; !node.is_leaf())
      for (std::size_t side = 0; side < 2; ++side)
        counts.add(round.counted[static_cast<std::size_t>(node.child) + side]);
    if (!counts.empty()) bayes_.add(n, counts);
  }
  answers_.clear();
  errors_.add(round.of_tree);
  target_errors_.add(round.of_targets);
  return errors;
}

Prequential TestThenTrain::prequential() const {
  const Errors recent = errors_.recent();
  Prequential told{.records = errors_.all().records,
                   .right = errors_.all().records - errors_.all().wrong,
                   .recent_records = recent.records,
                   .recent_right = recent.records - recent.wrong};
  if (target_errors_.all().records == 0) return told;
  const TargetErrors last = target_errors_.recent();
  told.records = target_errors_.all().records, told.recent_records = last.records;
  told.errors = target_errors_.all().in_units_of(targets_->unit());
  told.recent_errors = last.in_units_of(targets_->unit());
  return told;
}

void TestThenTrain::pack(Packer& packer) const {
  packer.put(answers_);
  packer.put(tests_);
  if (has_bayes_) bayes_.pack(packer);
  round_.pack(packer);
  errors_.pack(packer);
  target_errors_.pack(packer);
}

void TestThenTrain::unpack(Unpacker& unpacker, const StreamTree& tree, const CountLayout& layout) {
  targets_ = layout.targets;
  unpacker.get(answers_);
  unpacker.get(tests_);
  if (has_bayes_) bayes_.unpack(unpacker, layout, tree.nodes().size());
  round_.unpack(unpacker);
  errors_.unpack(unpacker);
  target_errors_.unpack(unpacker);
  const auto is_answer = [&](std::int32_t answer) {
    const bool is_class = answer >= 0 && answer < static_cast<std::int32_t>(tree.num_classes());
    return answer == kNoAnswer || (targets_ ? std::abs(answer) <= kMaxNumber : is_class);
  };
  const auto tests_are_possible = [](const NodeTests& tests) { return is_possible(tests); };
  FW_CHECK((answers_.empty() || answers_.size() == tree.nodes().size()) && std::ranges::all_of(answers_, is_answer) &&
               tests_.size() <= tree.nodes().size() && std::ranges::all_of(tests_, tests_are_possible) &&
               is_possible(round_) && (targets_ || target_errors_.all().records == 0),
           Model, "its counts of tested records are inconsistent");
}

void TestThenTrain::cut_unused(StreamTree& tree) const {
  std::vector<std::int32_t> left = {0};
  while (!left.empty()) {
    const std::int32_t n = left.back();
    left.pop_back();
    const records::RecordNode& node = tree.nodes()[static_cast<std::size_t>(n)];
    if (node.is_leaf()) continue;
    if (uses_bayes(static_cast<std::size_t>(n)))
      tree.cut(n, tree.counts_below(n));
    else
      left.insert(left.end(), {node.child, node.child + 1});
  }
}

records::RecordForest TestThenTrain::make_forest(const StreamTree& tree, int fraction_bits) const {
  std::vector<std::uint8_t> by_bayes(tree.nodes().size());
  tree.mark_below(0, by_bayes);
  for (std::size_t n = 0; n < by_bayes.size(); ++n)
    by_bayes[n] = by_bayes[n] != 0 && tree.nodes()[n].is_leaf() && uses_bayes(n);
  if (std::ranges::find(by_bayes, 1) != by_bayes.end()) return bayes_.make_forest(tree, by_bayes);
  records::RecordForest forest;
  forest.fraction_bits = fraction_bits;
  forest.base.assign(tree.num_classes(), 0);
  forest.trees.push_back(tree.finish(fraction_bits));
  return forest;
}

}  // namespace fernwood::stream
