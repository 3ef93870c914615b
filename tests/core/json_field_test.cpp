// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/json_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood {
namespace {

using nlohmann::json;

const ErrorContext kPlace = {"f", "; correct it", "model"};

/// Message of the error with which `read` rejects the value.
template <typename Read>
std::string refusal(const char* text, const Read& read) {
  const json value = json::parse(text);
  try {
    read(JsonField(value, "", kPlace).at("v"));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kModel);
    return error.what();
  }
  return "";
}

TEST(JsonField, IntegersHave32Bits) {
  const auto read = [](const JsonField& field) { field.integer(); };
  EXPECT_EQ(refusal(R"({"v":-2147483648})", read), "");
  EXPECT_EQ(refusal(R"({"v":2147483647})", read), "");
  testdata::expect_sentence(refusal(R"({"v":2147483648})", read));
  for (const char* wrong : {R"({"v":-2147483649})", R"({"v":18446744073709551615})", R"({"v":1.0})", R"({"v":"1"})"})
    testdata::expect_sentence(refusal(wrong, read));
}

TEST(JsonField, ListsAreReadWholeAndNameTheElementThatIsWrong) {
  const auto numbers = [](const JsonField& field) { EXPECT_EQ(field.numbers(1, 3), (std::vector<double>{1, -2.5})); };
  EXPECT_EQ(refusal(R"({"v":[1,-2.5]})", numbers), "");
  testdata::expect_sentence(refusal(R"({"v":[1,"x"]})", numbers));
  testdata::expect_sentence(refusal(R"({"v":[]})", numbers));
  const auto texts = [](const JsonField& field) { field.texts(0, 2); };
  testdata::expect_sentence(refusal(R"({"v":["a",1]})", texts));
  testdata::expect_sentence(refusal("{}", texts));
}

}  // namespace
}  // namespace fernwood
