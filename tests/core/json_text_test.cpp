// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/json_text.h"

#include <gtest/gtest.h>

#include "sentences.h"

namespace fernwood {
namespace {

using nlohmann::json;

const ErrorContext kSaving = {"f", "; rename it", "model", ErrorKind::kData};

TEST(JsonText, WhatIsNotUtf8IsReplacedOrRefused) {
  EXPECT_EQ(json_text(json("Fu\xdf")), "\"Fu\uFFFD\"");
  EXPECT_EQ(ascii_json_text(json("Fu\xdf")), "\"Fu\\ufffd\"");
  EXPECT_EQ(json_text(json{{"Fu\xdf", 1}}), "{\"Fu\uFFFD\":1}");
  testdata::expect_refused(ErrorKind::kData, [] { exact_json_text(json{{"name", "Fu\xdf"}}, kSaving); });
}

TEST(JsonText, TextsOfUtf8AreTheSameInAllWays) {
  const json value = {{"name", "Stra\u00dfe"}, {"size", {1, 2.5}}};
  EXPECT_EQ(json_text(value), "{\"name\":\"Stra\u00dfe\",\"size\":[1,2.5]}");
  EXPECT_EQ(exact_json_text(value, kSaving), json_text(value));
  EXPECT_EQ(exact_json_text(value, kSaving, 1), json_text(value, 1));
  EXPECT_EQ(ascii_json_text(value), "{\"name\":\"Stra\\u00dfe\",\"size\":[1,2.5]}");
}

}  // namespace
}  // namespace fernwood
