// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "sentences.h"
namespace fernwood {
namespace {

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
  for (const Failure& failure :
       {failure_of(std::bad_alloc()), failure_of(system_refusal(ENOMEM)), failure_of(system_refusal(EAGAIN)),
        failure_of(system_refusal(EMFILE)), failure_of(system_refusal(ENFILE)),
        failure_of(std::filesystem::filesystem_error("open", "a.png", system_refusal(EMFILE).code()))}) {
    EXPECT_EQ(failure.kind, ErrorKind::kResource);
    EXPECT_TRUE(failure.is_expected);
    testdata::expect_sentence(failure.sentence.on_command_line());
  }
}

TEST(Failure, OfAFileTellsWhichAndWhy) {
  const Failure gone = failure_of(std::filesystem::filesystem_error("open", "a.png", system_refusal(ENOENT).code()));
  EXPECT_EQ(gone.kind, ErrorKind::kRuntime);
  EXPECT_EQ(gone.error_number, ENOENT);
  EXPECT_EQ(gone.path, "a.png");
  testdata::expect_sentence(gone.sentence.on_command_line());
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
