// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <vector>

#include "fernwood/core/parallel.h"
#include "stream/grow/adwin.h"
#include "stream/grow/naive_bayes.h"
#include "stream/grow/stream_backend.h"
#include "stream/grow/tested_rounds.h"

namespace fernwood::stream {

/// Classifies the records of a round, before they are counted, by the tree as of the beginning of the round. Each
/// process tests its records; results are sums of whole numbers.
class TestThenTrain {
 public:
  /// @param work  Has the window of recent accuracy. @param pool  Must outlive this object; null: the calling thread.
  TestThenTrain(const StreamOptions& options, const StreamWork& work, ThreadPool* pool)
      : is_adaptive_(options.schedule == Schedule::kAdaptive),
        has_bayes_(options.leaf_prediction == LeafPrediction::kNaiveBayesAdaptive),
        pool_(pool),
        errors_(work.accuracy_window),
        target_errors_(work.accuracy_window) {}

  /// Begins a round: computes the answers of all leaves until it ends.
  void begin_round(const StreamTree& tree);
  /// Whether begin_round() was called for a tree of this number of nodes.
  bool has_begun(std::size_t num_nodes) const {
    return answers_.size() == num_nodes && (!has_bayes_ || bayes_.num_nodes() == num_nodes);
  }
  /// Tests records, each in only one process; with Schedule::kAdaptive also by alternates.
  void test(const records::RecordTable& batch, const StreamTree& tree);
  /// Adds up the results of all processes since the last call. Collective.
  void sum(Communicator& communicator);
  /// Adopts a changed layout of counts: naive Bayes starts anew, and the conversion of targets to whole numbers may be
  /// known now.
  void reset(const CountLayout& layout);
  /// Adopts changes of the tree between rounds. @param indices  See StreamTree::replace().
  void renumber(const std::vector<std::int32_t>& indices, const StreamTree& tree);
  /// Ends a round. @return [node] With Schedule::kAdaptive, errors among the records of a node.
  std::vector<Errors> end_round(const StreamTree& tree);

  Prequential prequential() const;

  /// For checkpoints, after sum().
  void pack(Packer& packer) const;
  /// @throws Error for invalid data.
  void unpack(Unpacker& unpacker, const StreamTree& tree, const CountLayout& layout);

  /// The tree with the answers of its leaves. @param fraction_bits  Of shares of classes.
  records::RecordForest make_forest(const StreamTree& tree, int fraction_bits) const;
  /// Removes the nodes below those that classify by themselves.
  void cut_unused(StreamTree& tree) const;

 private:
  /// Number of records of a node, and of the errors of its naive Bayes and of the alternative: the majority of a leaf,
  /// or the answer from below for another node.
  struct NodeTests {
    std::uint64_t records = 0, else_wrong = 0, bayes_wrong = 0;

    void add(const NodeTests& other) {
      records += other.records, else_wrong += other.else_wrong, bayes_wrong += other.bayes_wrong;
    }
  };
  struct TestedRecord {
    const float* values;       ///< [attribute]
    const std::uint8_t* bins;  ///< [attribute] For naive Bayes.
    std::int32_t label;
  };
  struct Tested {
    Errors of_tree;
    TargetErrors of_targets;
    std::vector<NodeTests> of_nodes;   ///< [node]
    std::vector<BayesCounts> counted;  ///< [node] By leaves, to be learnt at the end of the round.

    void add(const Tested& other);
    void pack(Packer& packer) const;
    void unpack(Unpacker& unpacker);
  };
  static bool is_possible(const NodeTests& tests);
  bool is_possible(const Tested& tested) const;

  bool uses_bayes(std::size_t node) const {
    return bayes_.knows(node) && node < tests_.size() && tests_[node].bayes_wrong < tests_[node].else_wrong;
  }
  void follow(const StreamTree& tree);
  Errors test_below(std::int32_t root, const records::RecordNode* nodes, const TestedRecord& record,
                    Tested& tested) const;
  void test_targets(const records::RecordTable& batch, AttributeRange records, const StreamTree& tree,
                    Tested& tested) const;
  void test_some(const records::RecordTable& batch, AttributeRange records, const StreamTree& tree,
                 Tested& tested) const;

  const bool is_adaptive_, has_bayes_;
  ThreadPool* const pool_;
  NaiveBayes bayes_;              ///< As of the beginning of the round.
  std::vector<NodeTests> tests_;  ///< [node] Of the previous rounds; older ones have less weight.
  std::optional<TargetScale> targets_;
  std::vector<std::int32_t> answers_;     ///< [node] Of a leaf in this round: its majority, or mean; or kNoAnswer.
  std::vector<std::int32_t> alternates_;  ///< [node] Root of its alternate, or -1; empty without alternates.
  Tested mine_, round_;                   ///< Since sum(); of all processes in this round.
  TestedRounds<Errors> errors_;
  TestedRounds<TargetErrors> target_errors_;
};

}  // namespace fernwood::stream
