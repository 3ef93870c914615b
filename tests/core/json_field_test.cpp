// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/json_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fernwood/core/error.h"

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
  EXPECT_EQ(refusal(R"({"v":2147483648})", read),
            "f: model field v must be a whole number of 32 bits, not 2147483648; correct it");
  for (const char* wrong : {R"({"v":-2147483649})", R"({"v":18446744073709551615})", R"({"v":1.0})", R"({"v":"1"})"})
    EXPECT_THAT(refusal(wrong, read), testing::HasSubstr("must be a whole number of 32 bits")) << wrong;
}

TEST(JsonField, ListsAreReadWholeAndNameTheElementThatIsWrong) {
  const auto numbers = [](const JsonField& field) { EXPECT_EQ(field.numbers(1, 3), (std::vector<double>{1, -2.5})); };
  EXPECT_EQ(refusal(R"({"v":[1,-2.5]})", numbers), "");
  EXPECT_EQ(refusal(R"({"v":[1,"x"]})", numbers), "f: model field v[1] must be a number, not \"x\"; correct it");
  EXPECT_EQ(refusal(R"({"v":[]})", numbers), "f: model field v must have 1 to 3 elements, not 0; correct it");
  const auto texts = [](const JsonField& field) { field.texts(0, 2); };
  EXPECT_EQ(refusal(R"({"v":["a",1]})", texts), "f: model field v[1] must be a text, not 1; correct it");
  EXPECT_EQ(refusal("{}", texts), "f: model field v is missing; correct it");
}

}  // namespace
}  // namespace fernwood
