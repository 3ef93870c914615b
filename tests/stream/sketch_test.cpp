// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/stream/sketch.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "fernwood/stream/ben_haim.h"
#include "fernwood/stream/exact_sketch.h"
#include "fernwood/stream/log_linear.h"
#include "stream/noise_values.h"

namespace fernwood::stream {
namespace {

/// What holds for every sketch, with an example of each.
template <Sketch S>
class EverySketch : public testing::Test {
 protected:
  static S empty() {
    if constexpr (std::is_same_v<S, BenHaimHistogram>)
      return S(64);
    else
      return S();
  }
};
using Sketches = testing::Types<BenHaimHistogram, LogLinearSketch, ExactSketch>;
TYPED_TEST_SUITE(EverySketch, Sketches);

TYPED_TEST(EverySketch, SumGrowsFromNothingToAll) {
  TypeParam sketch = this->empty();
  sketch.update(noise_values(1, 10'000, -5, 10));
  double last = 0;
  for (double b = -6; b < 6; b += 0.01) {
    ASSERT_GE(sketch.sum(b), last - 1e-9) << b;
    last = sketch.sum(b);
    const double truth = std::clamp(1000 * (b + 5), 0.0, 10'000.0);
    ASSERT_NEAR(last, truth, 300) << b;
  }
  EXPECT_EQ(sketch.sum(-5.01), 0);
  EXPECT_EQ(sketch.sum(5.01), 10'000);
}

TYPED_TEST(EverySketch, MergedWorkersCountAllOnce) {
  TypeParam all = this->empty();
  std::vector<TypeParam> workers(4, this->empty());
  for (std::uint32_t w = 0; w < 4; ++w) workers[w].update(noise_values(w, 2500, static_cast<float>(w), 1));
  all.merge(workers);
  EXPECT_EQ(all.total(), 10'000u);
  EXPECT_NEAR(all.sum(2), 5000, 200);
  all.merge(this->empty());
  EXPECT_EQ(all.total(), 10'000u);
  all.merge(all);
  EXPECT_EQ(all.total(), 20'000u);
  EXPECT_NEAR(all.sum(2), 10'000, 400);
}

TYPED_TEST(EverySketch, UniformPartsValuesEvenly) {
  TypeParam sketch = this->empty();
  EXPECT_TRUE(sketch.uniform(10).empty());
  EXPECT_EQ(sketch.sum(0), 0);
  sketch.update(noise_values(1, 10'000, -5, 10));
  const std::vector<double> places = sketch.uniform(10);
  ASSERT_EQ(places.size(), 9u);
  for (int j = 0; j < 9; ++j) EXPECT_NEAR(places[j], -4.0 + j, 0.2);
  EXPECT_TRUE(std::ranges::is_sorted(places));
}

TYPED_TEST(EverySketch, TellsItsSize) {
  TypeParam sketch = this->empty();
  EXPECT_GE(sketch.size_bytes(), sizeof(TypeParam));
  sketch.update(noise_values(1, 10'000, -5, 10));
  EXPECT_LE(sketch.size_bytes(), 70'000u);
}

}  // namespace
}  // namespace fernwood::stream
