// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"

#include <gtest/gtest.h>

namespace fernwood {
namespace {

TEST(FormatText, WritesLikePrintf) {
  EXPECT_EQ(format_text("%s: %5.1f %%, %d", "floor", 12.34, -7), "floor:  12.3 %, -7");
}

TEST(FormatText, CutsWhatIsTooLong) {
  const std::string text(600, 'x');
  EXPECT_EQ(format_text("%s", text.c_str()), text.substr(0, 511));
}

}  // namespace
}  // namespace fernwood
