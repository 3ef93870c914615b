// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/model_mutator.h"
#include "devices.h"
#include "fernwood/core/error.h"
#include "fernwood/predict/predictor.h"
#include "forest/model_parts.h"
#include "forest/noise.h"
#include "predict/plain_prediction.h"

namespace fernwood::predict {
namespace {

/// Number of accepted models with which each test labels; scripts/test_gpu sets more under compute-sanitizer.
int num_mutants() {
  const char* const asked = std::getenv("FERNWOOD_TEST_MUTANTS");
  return asked ? std::stoi(asked) : 100;
}

class ModelMutants : public DeviceTest {
 protected:
  /// Labels a frame with damaged models that pass all checks of a forest. The labels must equal the reference, computed
  /// pixel by pixel, or the model must be rejected.
  void label_with_mutants(const forest::Forest& forest) {
    const Bytes whole = forest::model_bytes(forest);
    const image::Frame frame = forest::noise_frame(32, 32, 7);
    Mutator mutator(2026);
    int num_refused = 0;
    for (int accepted = 0, tried = 0; accepted < num_mutants(); ++tried) {
      ASSERT_LT(tried, 100 * num_mutants());
      std::optional<forest::Forest> mutant;
      try {
        mutant = forest::read_forest(mutator.mutate(whole), "mutant");
      } catch (const Error&) {
        continue;
      }
      ++accepted;
      const std::optional<image::LabelImage> found = labels(*mutant, frame);
      num_refused += !found;
      if (found) {
        const bool interpolates = PredictOptions().interpolates(mutant->kind);
        const Prediction plain = interpolates ? plain_interpolated(*mutant, frame)
                                              : plain_prediction(*mutant, mutant->labelling_trees(), frame);
        EXPECT_EQ(*found, plain.labels) << "mutant " << tried;
      }
    }
    EXPECT_LT(num_refused, num_mutants() / 2);
  }

 private:
  static std::optional<image::LabelImage> labels(const forest::Forest& forest, const image::Frame& frame) {
    try {
      return make_predictor(forest, {.device = to_string(GetParam()), .threads = 1})->predict(frame).labels;
    } catch (const Error& refused) {
      EXPECT_TRUE(refused.kind() == ErrorKind::kModel || refused.kind() == ErrorKind::kData) << refused.what();
      return std::nullopt;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(EveryDevice, ModelMutants, testing::ValuesIn(cpu_and_gpus()), name_of_device);

TEST_P(ModelMutants, OfAForestAreSafe) { label_with_mutants(forest::noise_forest(4, 3, {"lab", "depth"}, 1)); }

TEST_P(ModelMutants, OfBoostedTreesAreSafe) { label_with_mutants(forest::noise_boosted(4, 3, {"lab", "depth"}, 2)); }

TEST_P(ModelMutants, OfFernsAreSafe) { label_with_mutants(forest::noise_ferns(4, {3, 4}, {"lab", "depth"}, 2)); }

}  // namespace
}  // namespace fernwood::predict
