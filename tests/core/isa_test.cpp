// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/isa.h"

#include <gtest/gtest.h>

namespace fernwood {
namespace {

TEST(Isa, BaselineIsAlwaysThereAndTheOthersFollowInOrder) {
  const std::vector<Isa>& isas = available_isas();
  ASSERT_FALSE(isas.empty());
  ASSERT_LE(isas.size(), 3u);
  for (std::size_t i = 0; i < isas.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(isas[i]), i);
}

TEST(Isa, HasNames) {
  EXPECT_EQ(to_string(Isa::kBaseline), "baseline");
  EXPECT_EQ(to_string(Isa::kAvx2), "avx2");
  EXPECT_EQ(to_string(Isa::kAvx512), "avx512");
}

}  // namespace
}  // namespace fernwood
