// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Trainings in which one process sends another message than it should.

#include <gtest/gtest.h>

#include "fernwood/core/communicator.h"
#include "fernwood/core/error.h"
#include "fernwood/forest/model_file.h"
#include "train/training_data.h"

namespace fernwood::train {
namespace {

enum class Damage { kEmpty, kHalf, kTwice };

/// Damages one message of the second rank.
class DamagingRank : public Communicator {
 public:
  /// @param exchange  Number of the exchange whose messages are damaged, from 0.
  DamagingRank(Communicator& honest, int exchange, Damage damage)
      : honest_(honest), damaged_(exchange), damage_(damage) {}

  int rank() const override { return honest_.rank(); }
  int size() const override { return honest_.size(); }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    for (Bytes& message : outgoing) change(message);
    ++num_exchanges_;
    return honest_.exchange(std::move(outgoing));
  }
  std::vector<Bytes> gather_all(const Bytes& mine) override {
    Bytes sent = mine;
    change(sent);
    ++num_exchanges_;
    return honest_.gather_all(sent);
  }
  bool is_one_process() const override { return true; }
  void abort(int exit_code) noexcept override { honest_.abort(exit_code); }
  int num_exchanges() const { return num_exchanges_; }

 private:
  void change(Bytes& message) const {
    if (rank() != 1 || num_exchanges_ != damaged_) return;
    if (damage_ == Damage::kTwice)
      message.insert(message.end(), message.begin(), message.end());
    else
      message.resize(damage_ == Damage::kEmpty ? 0 : message.size() / 2);
  }

  Communicator& honest_;
  const int damaged_;
  const Damage damage_;
  int num_exchanges_ = 0;
};

/// Model bytes of rank 0; empty if training failed with an Error. @param num_exchanges  Written.
dataset::Bytes train_with(TrainingData& data, const TrainOptions& options, const std::string& parallel, int exchange,
                          Damage damage, int* num_exchanges) {
  TrainResources resources;
  resources.threads = 1;
  resources.parallel = parallel;
  dataset::Bytes model;
  try {
    run_as_ranks(2, [&](Communicator& honest) {
      DamagingRank ranks(honest, exchange, damage);
      TrainReport report;
      dataset::Bytes bytes = forest::model_bytes(train_forest(data.dataset(), options, resources, {}, &report, &ranks));
      if (ranks.rank() == 0) model = std::move(bytes), *num_exchanges = ranks.num_exchanges();
    });
  } catch (const Error&) {
    return {};
  }
  return model;
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
  options.threshold_source = ThresholdSource::kResponses;
  int num_exchanges = 0;
  const dataset::Bytes honest = train_with(data, options, GetParam(), -1, Damage::kEmpty, &num_exchanges);
  ASSERT_FALSE(honest.empty());
  ASSERT_GT(num_exchanges, 3);
  const int step = 1 + num_exchanges / 60;
  for (int exchange = 0; exchange < num_exchanges; exchange += step)
    for (const Damage damage : {Damage::kEmpty, Damage::kHalf, Damage::kTwice}) {
      int ignored = 0;
      const dataset::Bytes model = train_with(data, options, GetParam(), exchange, damage, &ignored);
      EXPECT_TRUE(model.empty() || model == honest)
          << "exchange " << exchange << " of " << num_exchanges << ", damage " << static_cast<int>(damage);
    }
}

}  // namespace
}  // namespace fernwood::train
