// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/test_then_train.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood::stream {

namespace {

/// Number of a node's records by which its classifier is chosen; when it is exceeded, the numbers are halved.
constexpr std::uint64_t kTestsKept = 500;

std::int64_t rounded_mean(const records::TargetSum& sum) {
  return static_cast<std::int64_t>(std::floor(static_cast<double>(sum.sum) / static_cast<double>(sum.weight) + 0.5));
}

}  // namespace

bool TestThenTrain::is_possible(const NodeTests& tests) {
  return tests.records <= kMaxSeen && tests.else_wrong <= tests.records && tests.bayes_wrong <= tests.records;
}

void TestThenTrain::adopt(const StreamTree& tree) {
  const std::size_t num_nodes = tree.nodes().size();
  if (has_bayes_) follow(tree);
  num_classes_ = std::max(num_classes_, tree.num_classes());
  if (learnt_.rows() != num_nodes) learnt_ = Array2<std::uint64_t>(num_nodes, targets_ ? 2 : num_classes_);
  of_nodes_.resize(is_adaptive_ ? num_nodes : 0);
  alternates_.clear();
  if (!tree.alternates().empty()) alternates_.assign(num_nodes, -1);
  for (const Alternate& alternate : tree.alternates())
    alternates_[static_cast<std::size_t>(alternate.node)] = alternate.root;
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

/// Adds classes, of which no record was learnt.
void TestThenTrain::widen(std::size_t num_classes) {
  if (num_classes <= num_classes_) return;
  Array2<std::uint64_t> learnt(learnt_.rows(), num_classes);
  for (std::size_t n = 0; n < learnt_.rows(); ++n) std::copy_n(learnt_.row(n), learnt_.cols(), learnt.row(n));
  learnt_ = std::move(learnt);
  num_classes_ = num_classes;
  if (has_bayes_) bayes_.widen(num_classes);
}

void TestThenTrain::test(const records::RecordTable& records, std::size_t first, const StreamTree& tree) {
  bins_.resize(records.values.cols());
  for (std::size_t i = first; i < records.values.rows(); ++i) {
    const float* const values = records.values.row(i);
    if (targets_) {
      test_target(values, targets_->number_of(records.targets[i]), tree);
      continue;
    }
    const auto label = static_cast<std::size_t>(records.labels[i]);
    const TestedRecord record{values, records.labels[i], label >= num_classes_};
    widen(label + 1);
    if (has_bayes_) bayes_.find_bins(values, bins_.data());
    const Errors errors = test_below(0, tree, record);
    if (has_tree_) of_round_ += errors;
  }
}

void TestThenTrain::test_target(const float* values, std::int64_t number, const StreamTree& tree) {
  const std::int32_t leaf = descend(tree.nodes().data(), 0, [&](std::size_t attribute) { return values[attribute]; });
  const records::TargetSum sum = sum_of_leaf(tree, leaf);
  if (has_tree_ && sum.weight > 0) targets_of_round_.add(number, rounded_mean(sum));
  std::uint64_t* const row = learnt_.row(static_cast<std::size_t>(leaf));
  ++row[0], row[1] += static_cast<std::uint64_t>(number);
}

std::uint64_t TestThenTrain::seen(const StreamTree& tree, std::int32_t leaf, std::size_t of_class) const {
  const std::uint64_t learnt = learnt_(static_cast<std::size_t>(leaf), of_class);
  return of_class < tree.num_classes() ? tree.counts(leaf)[of_class] + learnt : learnt;
}

/// @return  -1 for a leaf that has seen no records.
std::int32_t TestThenTrain::majority_of(const StreamTree& tree, std::int32_t leaf) const {
  std::int32_t best = -1;
  std::uint64_t most = 0;
  for (std::size_t c = 0; c < num_classes_; ++c)
    if (const std::uint64_t count = seen(tree, leaf, c); count > most)
      best = static_cast<std::int32_t>(c), most = count;
  return best;
}

records::TargetSum TestThenTrain::sum_of_leaf(const StreamTree& tree, std::int32_t leaf) const {
  const std::uint64_t* const learnt = learnt_.row(static_cast<std::size_t>(leaf));
  std::array<std::uint64_t, 2> row = {tree.counts(leaf)[0], tree.counts(leaf)[1]};
  tree.statistics().add({learnt, 2}, row);
  return sum_of(row);
}

void TestThenTrain::note(std::size_t node, bool else_wrong, bool bayes_wrong) {
  if (is_adaptive_) of_nodes_[node] += {1, uses_bayes(node) ? bayes_wrong : else_wrong};
  if (!bayes_.knows(node)) return;
  NodeTests& tests = tests_[node];
  ++tests.records, tests.else_wrong += else_wrong, tests.bayes_wrong += bayes_wrong;
  if (tests.records >= kTestsKept) tests = {tests.records / 2, tests.else_wrong / 2, tests.bayes_wrong / 2};
}

/// Tests a record in all nodes on its path from a root, and in their alternates; these nodes learn it.
Errors TestThenTrain::test_below(std::int32_t root, const StreamTree& tree, const TestedRecord& record) {
  const records::RecordNode* const nodes = tree.nodes().data();
  std::array<std::int32_t, kMaxDepth + 1> path;
  std::size_t length = 0;
  for (std::int32_t n = root;; n = nodes[n].child + records::side_of(nodes[n], record.values[nodes[n].attribute])) {
    path[length++] = n;
    if (!alternates_.empty() && alternates_[static_cast<std::size_t>(n)] >= 0)
      test_below(alternates_[static_cast<std::size_t>(n)], tree, record);
    if (nodes[n].is_leaf()) break;
  }
  const std::int32_t leaf = path[length - 1], majority = majority_of(tree, leaf);
  ++learnt_(static_cast<std::size_t>(leaf), static_cast<std::size_t>(record.label));
  bool wrong = record.is_new || majority != record.label;
  if (!is_adaptive_ && !has_bayes_) return {majority >= 0, majority >= 0 && wrong};
  while (length-- > 0) {
    const auto n = static_cast<std::size_t>(path[length]);
    const bool by_bayes = has_bayes_ && bayes_.knows(n);
    const bool bayes_wrong = by_bayes ? record.is_new || bayes_.classify(n, bins_.data()) != record.label : wrong;
    const bool answers_by_bayes = uses_bayes(n);
    if (majority >= 0) note(n, wrong, bayes_wrong);
    if (answers_by_bayes) wrong = bayes_wrong;
    if (has_bayes_) bayes_.learn(n, bins_.data(), record.label);
  }
  return {majority >= 0, majority >= 0 && wrong};
}

void TestThenTrain::were_counted() { std::ranges::fill(learnt_, std::uint64_t{0}); }

void TestThenTrain::reset(const CountLayout& layout) {
  targets_ = layout.targets;
  if (targets_ && learnt_.cols() == 0) learnt_ = Array2<std::uint64_t>(learnt_.rows(), 2);
  widen(layout.num_classes);
  if (has_bayes_) bayes_.follow(layout);
}

void TestThenTrain::renumber(const std::vector<std::int32_t>& indices, const StreamTree& tree) {
  if (!has_bayes_ || indices.empty()) return;
  std::vector<NodeTests> tests(tree.nodes().size());
  for (std::size_t n = 0; n < std::min(indices.size(), tests_.size()); ++n)
    if (indices[n] >= 0) tests[static_cast<std::size_t>(indices[n])] = tests_[n];
  tests_ = std::move(tests);
  bayes_.renumber(indices, tree.nodes().size());
}

std::vector<Errors> TestThenTrain::end_round(const StreamTree& tree, Communicator& communicator) {
  has_tree_ = true;
  errors_.add(std::exchange(of_round_, {}));
  target_errors_.add(std::exchange(targets_of_round_, {}));
  std::vector<Errors> errors = std::exchange(of_nodes_, {});
  if (!is_adaptive_ || communicator.size() == 1) return errors;
  Bytes bytes;
  if (communicator.rank() == 0) Packer(bytes).put(errors);
  bytes = std::move(communicator.gather_all(bytes)[0]);
  Unpacker(bytes).get(errors);
  FW_CHECK(errors.size() == tree.nodes().size() &&
               std::ranges::all_of(errors, [](const Errors& each) { return stream::is_possible(each); }),
           Runtime, "processes disagree about what was tested; start all with the same program and options");
  return errors;
}

void TestThenTrain::predict(const float* values, const StreamTree& tree, double* predicted) const {
  const records::RecordNode* const nodes = tree.nodes().data();
  std::int32_t n = 0;
  for (; !nodes[n].is_leaf(); n = nodes[n].child + records::side_of(nodes[n], values[nodes[n].attribute]))
    if (has_bayes_ && uses_bayes(static_cast<std::size_t>(n))) break;
  if (targets_) {
    const records::TargetSum sum = sum_of_leaf(tree, n);
    *predicted = sum.weight > 0 ? targets_->mean(sum) : targets_->lowest();
    return;
  }
  if (has_bayes_ && uses_bayes(static_cast<std::size_t>(n))) {
    bayes_.find_shares(static_cast<std::size_t>(n), values, predicted);
    return;
  }
  double sum = 0;
  for (std::size_t c = 0; c < num_classes_; ++c) sum += predicted[c] = static_cast<double>(seen(tree, n, c));
  for (std::size_t c = 0; c < num_classes_; ++c)
    predicted[c] = sum > 0 ? predicted[c] / sum : 1 / static_cast<double>(num_classes_);
}

Prequential TestThenTrain::prequential() const {
  TestedRounds<Errors> errors = errors_;
  TestedRounds<TargetErrors> target_errors = target_errors_;
  errors.add(of_round_);
  target_errors.add(targets_of_round_);
  const Errors recent = errors.recent();
  Prequential told{.records = errors.all().records,
                   .right = errors.all().records - errors.all().wrong,
                   .recent_records = recent.records,
                   .recent_right = recent.records - recent.wrong};
  if (target_errors.all().records == 0) return told;
  const TargetErrors last = target_errors.recent();
  told.records = target_errors.all().records, told.recent_records = last.records;
  told.errors = target_errors.all().in_units_of(targets_->unit());
  told.recent_errors = last.in_units_of(targets_->unit());
  return told;
}

void TestThenTrain::pack(Packer& packer) const {
  packer.put(has_tree_);
  packer.put(tests_);
  if (has_bayes_) bayes_.pack(packer);
  packer.put(of_nodes_);
  packer.put(of_round_);
  packer.put(targets_of_round_);
  errors_.pack(packer);
  target_errors_.pack(packer);
}

void TestThenTrain::unpack(Unpacker& unpacker, const StreamTree& tree, const CountLayout& layout) {
  targets_ = layout.targets;
  num_classes_ = tree.num_classes();
  unpacker.get(has_tree_);
  unpacker.get(tests_);
  if (has_bayes_) bayes_.unpack(unpacker, layout, tree.nodes().size());
  unpacker.get(of_nodes_);
  unpacker.get(of_round_);
  unpacker.get(targets_of_round_);
  errors_.unpack(unpacker);
  target_errors_.unpack(unpacker);
  const std::size_t num_nodes = tree.nodes().size();
  FW_CHECK(tests_.size() <= num_nodes && of_nodes_.size() <= num_nodes &&
               std::ranges::all_of(tests_, [](const NodeTests& tests) { return is_possible(tests); }) &&
               std::ranges::all_of(of_nodes_, [](const Errors& errors) { return stream::is_possible(errors); }) &&
               stream::is_possible(of_round_) && stream::is_possible(targets_of_round_) &&
               (targets_ || (target_errors_.all().records == 0 && targets_of_round_.records == 0)),
           Model, "its counts of tested records are inconsistent");
  tests_.resize(num_nodes);
  learnt_ = {};
  adopt(tree);
}

void TestThenTrain::share(Communicator& communicator, const StreamTree& tree, const CountLayout& layout) {
  if (communicator.size() == 1) return;
  Bytes bytes;
  Packer packer(bytes);
  if (communicator.rank() == 0) pack(packer);
  bytes = std::move(communicator.gather_all(bytes)[0]);
  if (communicator.rank() == 0) return;
  Unpacker unpacker(bytes);
  unpack(unpacker, tree, layout);
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
