// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <new>
#include <system_error>

namespace fernwood {
namespace {

using testing::HasSubstr;

template <typename Exception>
Failure failure_of(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return failure_in_hand();
  }
}

std::system_error system_refusal(int number) { return {number, std::system_category()}; }

TEST(Failure, WhatTheSystemRefusesIsAResource) {
  const std::pair<Failure, const char*> refusals[] = {
      {failure_of(std::bad_alloc()), "memory ran out; give a smaller --memory-budget"},
      {failure_of(system_refusal(ENOMEM)), "memory ran out"},
      {failure_of(system_refusal(EAGAIN)), "give fewer --threads, or allow more"},
      {failure_of(system_refusal(EMFILE)), "ulimit -n"},
      {failure_of(system_refusal(ENFILE)), "ulimit -n"},
      {failure_of(std::filesystem::filesystem_error("open", "a.png", system_refusal(EMFILE).code())), "ulimit -n"}};
  for (const auto& [failure, part] : refusals) {
    EXPECT_EQ(failure.kind, ErrorKind::kResource) << part;
    EXPECT_TRUE(failure.is_expected) << part;
    EXPECT_THAT(failure.sentence.on_command_line(), HasSubstr(part));
  }
}

TEST(Failure, OfAFileTellsWhichAndWhy) {
  const Failure gone = failure_of(std::filesystem::filesystem_error("open", "a.png", system_refusal(ENOENT).code()));
  EXPECT_EQ(gone.kind, ErrorKind::kRuntime);
  EXPECT_EQ(gone.error_number, ENOENT);
  EXPECT_EQ(gone.path, "a.png");
  EXPECT_THAT(gone.sentence.on_command_line(), HasSubstr("a.png: No such file"));
  const Failure read = failure_of(FileError(ErrorKind::kData, "b.png", EISDIR, "is a folder"));
  EXPECT_EQ(read.kind, ErrorKind::kData);
  EXPECT_EQ(read.error_number, EISDIR);
  EXPECT_EQ(read.sentence.on_command_line(), "b.png: is a folder");
}

TEST(Failure, OfOurOwnIsAsItWasThrownAndOthersAreUnexpected) {
  const Failure own = failure_of(Error(ErrorKind::kModel, "a.fernwood: is damaged"));
  EXPECT_EQ(own.kind, ErrorKind::kModel);
  EXPECT_EQ(own.sentence.on_command_line(), "a.fernwood: is damaged");
  EXPECT_TRUE(own.is_expected);
  EXPECT_FALSE(failure_of(std::out_of_range("at")).is_expected);
  EXPECT_FALSE(failure_of(system_refusal(EPERM)).is_expected);
  EXPECT_FALSE(failure_of(7).is_expected);
}

}  // namespace
}  // namespace fernwood
