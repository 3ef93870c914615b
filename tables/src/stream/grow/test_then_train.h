// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <vector>

#include "fernwood/core/array.h"
#include "fernwood/core/communicator.h"
#include "stream/grow/adwin.h"
#include "stream/grow/naive_bayes.h"
#include "stream/grow/stream_tree.h"
#include "stream/grow/tested_rounds.h"

namespace fernwood::stream {

/// Classifies each record by the tree as it is, and then lets its leaf learn the record: the classes or targets that a
/// leaf predicts, and naive Bayes, follow record by record, while splits are decided between rounds. Rank 0 does this
/// for all records, in their order; other processes receive errors and, at the end, what was learnt.
class TestThenTrain {
 public:
  /// @param work  Has the window of recent accuracy.
  TestThenTrain(const StreamOptions& options, const StreamWork& work)
      : is_adaptive_(options.schedule == Schedule::kAdaptive),
        has_bayes_(options.leaf_prediction == LeafPrediction::kNaiveBayesAdaptive),
        errors_(work.accuracy_window),
        target_errors_(work.accuracy_window) {}

  /// Adopts the splits and alternates of the tree, between rounds.
  void adopt(const StreamTree& tree);
  /// Tests records of a round and learns them. @param first  Index of the first one.
  void test(const records::RecordTable& records, std::size_t first, const StreamTree& tree);
  /// Forgets the rows of records learnt, which the tree's own counts contain from now on.
  void were_counted();
  /// Adopts a changed layout of counts: naive Bayes starts anew where it has other bins, and the conversion of targets
  /// to whole numbers may be known now.
  void reset(const CountLayout& layout);
  /// Adopts changes of the tree between rounds. @param indices  See StreamTree::replace().
  void renumber(const std::vector<std::int32_t>& indices, const StreamTree& tree);
  /// Ends a round. Collective. @return [node] With Schedule::kAdaptive, errors among the records of a node.
  std::vector<Errors> end_round(const StreamTree& tree, Communicator& communicator);

  /// Shares of the classes for a record, or its target. @param values  [attribute] @param predicted  [class], or one.
  void predict(const float* values, const StreamTree& tree, double* predicted) const;
  /// Length of the result of predict().
  std::size_t num_predicted() const { return targets_ ? 1 : num_classes_; }

  Prequential prequential() const;

  /// For checkpoints, after were_counted(): the state of rank 0.
  void pack(Packer& packer) const;
  /// @throws Error for invalid data.
  void unpack(Unpacker& unpacker, const StreamTree& tree, const CountLayout& layout);
  /// All processes adopt the state of rank 0. Collective.
  void share(Communicator& communicator, const StreamTree& tree, const CountLayout& layout);

  /// The tree with the answers of its leaves. @param fraction_bits  Of shares of classes.
  records::RecordForest make_forest(const StreamTree& tree, int fraction_bits) const;
  /// Removes the nodes below those that classify by themselves.
  void cut_unused(StreamTree& tree) const;

 private:
  /// Number of records of a node, and of the errors of its naive Bayes and of the alternative: the majority of a leaf,
  /// or the answer from below for another node.
  struct NodeTests {
    std::uint64_t records = 0, else_wrong = 0, bayes_wrong = 0;
  };
  struct TestedRecord {
    const float* values;  ///< [attribute]
    std::int32_t label;
    bool is_new;  ///< The class appears with this record: no tree could predict it.
  };
  static bool is_possible(const NodeTests& tests);

  bool uses_bayes(std::size_t node) const {
    return bayes_.knows(node) && tests_[node].bayes_wrong < tests_[node].else_wrong;
  }
  void follow(const StreamTree& tree);
  void widen(std::size_t num_classes);
  std::uint64_t seen(const StreamTree& tree, std::int32_t leaf, std::size_t of_class) const;
  std::int32_t majority_of(const StreamTree& tree, std::int32_t leaf) const;
  records::TargetSum sum_of_leaf(const StreamTree& tree, std::int32_t leaf) const;
  void note(std::size_t node, bool else_wrong, bool bayes_wrong);
  Errors test_below(std::int32_t root, const StreamTree& tree, const TestedRecord& record);
  void test_target(const float* values, std::int64_t number, const StreamTree& tree);

  bool is_adaptive_, has_bayes_;
  bool has_tree_ = false;  ///< A round has ended: what follows is tested.
  std::size_t num_classes_ = 0;
  NaiveBayes bayes_;
  std::vector<std::uint8_t> bins_;  ///< [attribute] For naive Bayes, of the record that is tested.
  std::vector<NodeTests> tests_;    ///< [node] Older records have less weight.
  std::optional<TargetScale> targets_;
  Array2<std::uint64_t> learnt_;          ///< [node] Rows of records that the tree's counts do not contain yet.
  std::vector<std::int32_t> alternates_;  ///< [node] Root of its alternate, or -1; empty without alternates.
  std::vector<Errors> of_nodes_;          ///< [node] Of this round, with Schedule::kAdaptive.
  Errors of_round_;
  TargetErrors targets_of_round_;
  TestedRounds<Errors> errors_;
  TestedRounds<TargetErrors> target_errors_;
};

}  // namespace fernwood::stream
