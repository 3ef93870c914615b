// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include "core/model_mutator.h"
#include "fernwood/core/error.h"
#include "forest/model_bytes.h"
#include "forest/model_parts.h"

namespace fernwood::forest {
namespace {

TEST(ModelFuzz, TenThousandDamagedFilesAreRefusedOrSafe) {
  Forest forest = small_forest();
  forest.labelling_trees().push_back(heap_tree(9, 3, 5));
  const Bytes whole = model_bytes(forest);
  Mutator mutator(2024);
  int num_read = 0, num_refused_behind_checksums = 0;
  for (int i = 0; i < 10000; ++i) {
    const Bytes bytes = mutator.mutate(whole);
    try {
      const Forest read = read_forest(bytes, "f");
      ++num_read;
      for (const Tree& tree : read.labelling_trees()) {
        EXPECT_LT(tree.depth(), 17);
        EXPECT_EQ(leaf_votes(read, tree, 0).rows(), tree.num_leaves());
      }
      EXPECT_NO_THROW(model_bytes(read));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kModel) << error.what();
      num_refused_behind_checksums += std::string(error.what()).find("checksum") == std::string::npos;
    }
  }
  // Damage that results in another valid forest (a count, a threshold, a colour) is read; the checks find most other.
  EXPECT_GT(num_read, 500);
  EXPECT_GT(num_refused_behind_checksums, 5000);
}

}  // namespace
}  // namespace fernwood::forest
