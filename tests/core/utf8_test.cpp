// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace fernwood {
namespace {

TEST(Utf8, KnowsTextFromOtherBytes) {
  for (const std::string text : {"", "floor", "Fußboden", "床", "\U0001F6CB", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const std::string bytes : {"Fu\xDF"
                                  "boden",
                                  "\xC3", "\x80", "\xC0\xAF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                                  "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82"})
    EXPECT_FALSE(is_utf8(bytes)) << bytes;
}

/// nlohmann::json, which writes headers of models, rejects the same texts. Otherwise a name could pass the check, but
/// fail after training.
TEST(Utf8, AgreesWithTheWriterOfHeaders) {
  const auto is_written = [](const std::string& text) {
    try {
      return !nlohmann::json(text).dump().empty();
    } catch (const nlohmann::json::exception&) {
      return false;
    }
  };
  const unsigned char edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2,
                                 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF};
  for (const unsigned char a : edges)
    for (const unsigned char b : edges)
      for (const unsigned char c : edges)
        for (const unsigned char d : edges) {
          const std::string text = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c),
                                    static_cast<char>(d)};
          ASSERT_EQ(is_utf8(text), is_written(text)) << nlohmann::json(std::vector<int>{a, b, c, d});
        }
}

}  // namespace
}  // namespace fernwood
