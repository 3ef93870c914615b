// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <optional>
#include <vector>

#include "fernwood/core/communicator.h"
#include "fernwood/core/parallel.h"
#include "fernwood/stream/train_stream.h"
#include "stream/grow/adwin.h"
#include "stream/grow/tested_rounds.h"
#include "stream/online/online_tree.h"

namespace fernwood::stream {

/// Some records in the forms in which trees need them.
struct OnlineChunk {
  std::uint64_t first = 0;  ///< Number of records before.
  std::vector<OnlineRecord> records;
};

/// A tree of a forest, and the tree that may replace it.
class ForestMember {
 public:
  ForestMember(const OnlineShape& shape, std::uint32_t number) : number_(number), tree_(shape, number, 0) {}

  /// Tests and learns records, one after another.
  /// @param votes  [record][class, or 1] The votes of the tree before it learns a record are added.
  void test_and_learn(const OnlineShape& shape, const OnlineChunk& chunk, std::int64_t* votes);
  void adopt(const OnlineShape& before, const OnlineShape& now);

  const OnlineTree& tree() const { return tree_; }
  /// Weight of its votes: its accuracy since it began, in 1 / 256.
  std::int64_t weight() const;
  const DriftCounts& drift() const { return drift_; }
  std::size_t bytes() const { return tree_.bytes() + (background_ ? background_->bytes() : 0); }

  void pack(Packer& packer) const;
  /// @throws Error(kModel) for invalid data.
  void unpack(Unpacker& unpacker, const OnlineShape& shape);

 private:
  bool is_right(const OnlineShape& shape, std::int64_t predicted, std::int64_t label);
  void adapt(const OnlineShape& shape, bool is_right);

  std::uint32_t number_, serial_ = 0;
  OnlineTree tree_;
  std::optional<OnlineTree> background_;
  Errors since_, background_since_;  ///< Errors since the trees began.
  /// Regression: sum of the absolute errors of `since_`.
  double absolute_ = 0;
  Adwin warning_, change_;
  DriftCounts drift_;
};

/// The trees of a forest that this process grows. All processes call the same functions in the same order.
class OnlineForest {
 public:
  OnlineForest(const StreamOptions& options, const StreamWork& work, ThreadPool& pool, Communicator& communicator);

  /// Tests the records by all trees, then learns them, record by record. @param first  Number of records before.
  /// @param layout  Number of classes, and the conversion of targets; bins are those of leaves.
  void test_and_learn(const records::RecordTable& records, std::uint64_t first, const CountLayout& layout);

  std::size_t num_leaves() const;  ///< Of the trees of this process.
  int depth() const;               ///< Likewise.
  Prequential prequential() const;
  DriftCounts drift() const;  ///< Of the trees of this process.
  std::size_t bytes() const;
  /// [attribute] Shares of attributes in the decrease of impurity by the tests of a tree, averaged over trees.
  std::vector<double> importances() const;

  /// All trees as a forest, without names of attributes. After gather().
  records::RecordForest make_forest() const;
  /// Fetches the trees of all processes.
  void gather();

  /// Collective: the state of all trees, on rank 0.
  void pack(Packer& packer);
  /// @throws Error(kModel) for invalid data.
  void unpack(Unpacker& unpacker, const CountLayout& layout);

 private:
  Bytes members_of_all();
  void follow(const CountLayout& layout);
  bool is_mine(std::size_t number) const { return strided_share(&communicator_).has(number); }
  void sum(std::vector<std::int64_t>& votes);
  void evaluate(const OnlineChunk& chunk, const std::vector<std::int64_t>& votes);

  OnlineShape shape_;
  ThreadPool& pool_;
  Communicator& communicator_;
  std::vector<ForestMember> members_;  ///< Of this process; after gather(), all.
  TestedRounds<Errors> errors_;
  TestedRounds<TargetErrors> target_errors_;
};

}  // namespace fernwood::stream
