// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/generated_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "records/record_models.h"
#if FERNWOOD_HAS_CUDA
#include "lab/records/cuda/compiled_kernel.h"
#endif

namespace fernwood::lab {
namespace {

using namespace records;

using testing::HasSubstr;

TEST(GeneratedCode, WritesThresholdsExactlyAndNanAsTheTestSays) {
  RecordForest forest = stumps({{1, 0.1f}});
  EXPECT_THAT(tree_function(*make_evaluation_model(forest), 0, CodeStyle::kIfElse),
              HasSubstr("if (!(v[1 * c] <= 0x1.99999ap-4f)) {\nreturn 1;\n} else {\nreturn 0;\n}"));
  forest.trees[0].nodes[0].nan_left = 1;
  EXPECT_THAT(tree_function(*make_evaluation_model(forest), 0, CodeStyle::kNoIf),
              HasSubstr("const int r0 = 0 ^ ((0 ^ 1) & -(int)(v[1 * c] > 0x1.99999ap-4f));\nreturn r0;"));
}

TEST(GeneratedCode, AKernelAddsTheMarginsOfTreesToTheBase) {
  RecordForest forest = stumps({{0, 1.0f}, {1, 2.0f}});
  forest.base = {5, 12};
  EXPECT_THAT(kernel_code(*make_evaluation_model(forest), CodeStyle::kIfElse),
              HasSubstr("classes[i] = (7 + answer0(v, c) + answer1(v, c)) > 0;"));
}

#if FERNWOOD_HAS_CUDA
TEST(GeneratedCode, KernelsCompile) {
  RecordForest forest = random_forest({.trees = 3, .depth = 5, .classes = 2, .nan = 2, .seed = 4});
  forest.trees[0].nodes[0].threshold = -std::numeric_limits<float>::infinity();
  for (const CodeStyle style : {CodeStyle::kIfElse, CodeStyle::kNoIf})
    EXPECT_GT(compile_kernel(kernel_code(*make_evaluation_model(forest), style), 80).size(), 1000u);
}
#endif

}  // namespace
}  // namespace fernwood::lab
