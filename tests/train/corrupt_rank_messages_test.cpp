// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Trainings in which one process sends another message than it should.

#include <gtest/gtest.h>

#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"
#include "fernwood/forest/forest.h"
#include "sentences.h"
#include "train/distributed/ranks.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

/// Changes a message before it is sent. @param exchange  Number of the exchange, from 0.
using Change = std::function<void(int rank, int exchange, Bytes& message)>;

/// Sends changed messages.
class ChangingRank : public Communicator {
 public:
  ChangingRank(Communicator& honest, const Change& change) : honest_(honest), change_(change) {}

  int rank() const override { return honest_.rank(); }
  int size() const override { return honest_.size(); }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    for (Bytes& message : outgoing) change_(rank(), num_exchanges_, message);
    ++num_exchanges_;
    return honest_.exchange(std::move(outgoing));
  }
  std::vector<Bytes> gather_all(const Bytes& mine) override {
    Bytes sent = mine;
    change_(rank(), num_exchanges_, sent);
    ++num_exchanges_;
    return honest_.gather_all(sent);
  }
  bool is_one_process() const override { return true; }
  void abort(int exit_code) noexcept override { honest_.abort(exit_code); }
  int num_exchanges() const { return num_exchanges_; }

 private:
  Communicator& honest_;
  const Change& change_;
  int num_exchanges_ = 0;
};

/// Model bytes of rank 0. @param num_exchanges  Written, unless it is null. @throws Error  As train_forest().
dataset::Bytes train_with(TrainingData& data, const TrainOptions& options, const std::string& parallel,
                          const Change& change, int* num_exchanges = nullptr, const TrainHooks& hooks = {}) {
  TrainResources resources;
  resources.threads = 1;
  resources.parallel = parallel;
  dataset::Bytes model;
  run_as_ranks(2, [&](Communicator& honest) {
    ChangingRank ranks(honest, change);
    TrainReport report;
    dataset::Bytes bytes =
        forest::model_bytes(train_forest(data.dataset(), options, resources, hooks, &report, &ranks));
    if (ranks.rank() != 0) return;
    model = std::move(bytes);
    if (num_exchanges) *num_exchanges = ranks.num_exchanges();
  });
  return model;
}

enum class Damage { kEmpty, kHalf, kTwice };

/// Damages the messages of the second rank in one exchange.
Change damage_in(int damaged, Damage damage) {
  return [=](int rank, int exchange, Bytes& message) {
    if (rank != 1 || exchange != damaged) return;
    const Bytes whole = message;
    if (damage == Damage::kTwice)
      message.insert(message.end(), whole.begin(), whole.end());
    else
      message.resize(damage == Damage::kEmpty ? 0 : whole.size() / 2);
  };
}

class DamagedMessages : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(EveryParallelism, DamagedMessages, testing::Values("trees", "features", "data"),
                         [](const auto& info) { return std::string(info.param); });

// The damage is refused, or changes nothing: a message that should be empty stays so, and what follows one is ignored.
TEST_P(DamagedMessages, EndTrainingOrChangeNothing) {
  TrainingData data;
  add_scenes(data, 4);
  data.dataset();  // opened before several threads use it
  TrainOptions options = small_training();
  options.trees = 3;
  int num_exchanges = 0;
  const dataset::Bytes honest = train_with(data, options, GetParam(), damage_in(-1, Damage::kEmpty), &num_exchanges);
  ASSERT_GT(num_exchanges, 3);
  const int step = 1 + num_exchanges / 60;
  for (int exchange = 0; exchange < num_exchanges; exchange += step)
    for (const Damage damage : {Damage::kEmpty, Damage::kHalf, Damage::kTwice}) {
      dataset::Bytes model = honest;
      dataset::error_of([&] { model = train_with(data, options, GetParam(), damage_in(exchange, damage)); });
      EXPECT_EQ(model, honest) << "exchange " << exchange << " of " << num_exchanges << ", damage "
                               << static_cast<int>(damage);
    }
}

/// Changes the trees that the second rank sends.
Change change_trees(const std::function<void(forest::Tree&)>& change) {
  return [=](int rank, int, Bytes& message) {
    if (rank != 1) return;
    Unpacker unpacker(message);
    forest::Tree tree;
    if (dataset::error_of([&] { tree = unpack_tree(unpacker); })) return;
    if (tree.nodes.size() < 3 || tree.nodes.size() != 2 * tree.num_leaves() - 1) return;
    change(tree);
    Bytes changed;
    Packer packer(changed);
    pack(tree, packer);
    changed.insert(changed.end(), message.begin() + static_cast<std::ptrdiff_t>(unpacker.place()), message.end());
    message = std::move(changed);
  };
}

TEST(GatheredTrees, AreCheckedLikeThoseOfAFile) {
  TrainingData data;
  add_scenes(data, 4);
  data.dataset();
  const std::function<void(forest::Tree&)> changes[] = {
      [](forest::Tree& tree) { tree.nodes[0].child = 1 << 20; },
      [](forest::Tree& tree) { tree.nodes[0].child = 0; },
      [](forest::Tree& tree) { tree.nodes.back().child = ~(1 << 20); },
      [](forest::Tree& tree) { tree.nodes[0].feature.channel_a = 200; },
      [](forest::Tree& tree) { tree.leaf_counts = Array2<std::uint32_t>(tree.num_leaves(), 1); },
  };
  for (const auto& change : changes)
    testdata::expect_refused(ErrorKind::kModel,
                             [&] { train_with(data, small_training(), "trees", change_trees(change)); });
}

TEST(GatheredTrees, OfACheckpointAreCheckedByEachRank) {
  TrainingData data;
  add_scenes(data, 4);
  data.dataset();
  TrainHooks hooks;
  hooks.checkpoint = data.folder() / "checkpoint";
  train_bytes(data.dataset(), small_training(), {}, hooks);
  hooks.resume = true;
  const auto damage_file = [](int rank, int, Bytes& message) {
    const std::string_view magic = "FERNWOOD";
    if (rank == 0 && message.size() > magic.size() && std::equal(magic.begin(), magic.end(), message.begin()))
      message.back() ^= 1;
  };
  testdata::expect_refused(ErrorKind::kModel,
                           [&] { train_with(data, small_training(), "trees", damage_file, nullptr, hooks); });
}

}  // namespace
}  // namespace fernwood::train
