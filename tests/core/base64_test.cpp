// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/base64.h"

#include <gtest/gtest.h>

namespace fernwood {
namespace {

std::string encoded(const std::string& text) {
  return to_base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

TEST(Base64, IsThatOfTheStandard) {
  // Test vectors of RFC 4648, section 10.
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, ComesBack) {
  std::vector<std::uint8_t> bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(parse_base64(to_base64(bytes)), bytes);
    bytes.push_back(static_cast<std::uint8_t>(i * 37));
  }
  EXPECT_EQ(parse_base64("-_8=\n"), (std::vector<std::uint8_t>{0xfb, 0xff}));
  EXPECT_EQ(parse_base64("+/8"), (std::vector<std::uint8_t>{0xfb, 0xff}));
  EXPECT_EQ(parse_base64("a b"), std::nullopt);
}

}  // namespace
}  // namespace fernwood
