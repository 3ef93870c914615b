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

/// Classifies the records of a round by the tree as it was when the round began, before they are counted. Each process
/// tests its records; whole numbers are added up.
class TestThenTrain {
 public:
  /// @param work  Says of how many records recent accuracy is. @param pool  Must outlive this; null: the calling
  /// thread.
  TestThenTrain(const StreamOptions& options, const StreamWork& work, ThreadPool* pool)
      : is_adaptive_(options.schedule == Schedule::kAdaptive),
        has_bayes_(options.leaf_prediction == LeafPrediction::kNaiveBayesAdaptive),
        pool_(pool),
        errors_(work.accuracy_window),
        target_errors_(work.accuracy_window) {}

  /// A round begins: the answers of all leaves until it ends.
  void begin_round(const StreamTree& tree);
  /// Tests records that no process beside this one tests; with Schedule::kAdaptive by alternates, too.
  void test(const records::RecordTable& batch, const StreamTree& tree);
  /// Adds up what processes have tested since the last call. All call it together.
  void sum(Communicator& communicator);
  /// The layout of counts has changed: naive Bayes begins anew, and it may have become known how targets are whole
  /// numbers.
  void reset(const CountLayout& layout);
  /// The tree has changed between rounds. @param indices  See StreamTree::replace().
  void renumber(const std::vector<std::int32_t>& indices, const StreamTree& tree);
  /// The round is over. @return [node] Errors among the records of a node, with Schedule::kAdaptive.
  std::vector<Errors> end_round(const StreamTree& tree);

  Prequential prequential() const;

  /// For checkpoints, after sum().
  void pack(Packer& packer) const;
  /// @throws Error when what comes is nothing of the kind.
  void unpack(Unpacker& unpacker, const StreamTree& tree, const CountLayout& layout);

  /// The tree with what its leaves answer. @param fraction_bits  Of shares of classes.
  records::RecordForest make_forest(const StreamTree& tree, int fraction_bits) const;
  /// Cuts what is below nodes that answer themselves.
  void cut_unused(StreamTree& tree) const;

 private:
  /// Records of a node, how many naive Bayes of the node got wrong, and how many what it would answer else: a leaf its
  /// majority, another node what is below.
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
    std::vector<BayesCounts> counted;  ///< [node] By leaves, to be learnt when the round is over.

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
  NaiveBayes bayes_;              ///< As of the round's beginning.
  std::vector<NodeTests> tests_;  ///< [node] Of the rounds before, those of long ago less.
  std::optional<TargetScale> targets_;
  std::vector<std::int32_t> answers_;     ///< [node] Of a leaf in this round: its majority, or mean; or kNoAnswer.
  std::vector<std::int32_t> alternates_;  ///< [node] Root of its alternate, or -1; empty: there is none.
  Tested mine_, round_;                   ///< Since sum(); of all processes in this round.
  TestedRounds<Errors> errors_;
  TestedRounds<TargetErrors> target_errors_;
};

}  // namespace fernwood::stream
