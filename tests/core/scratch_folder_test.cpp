// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "fernwood/core/error.h"

namespace fernwood {
namespace {

TEST(ScratchFolder, AFolderThatIsGoneIsNamedWithItsVariable) {
  const char* const before = ::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/nonexistent/gone", 1);
  try {
    const ScratchFolder folder;
    ADD_FAILURE() << folder.path();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/gone"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("TMPDIR"), std::string::npos);
  }
  ::setenv("TMPDIR", "", 1);
  EXPECT_EQ(ScratchFolder().path().parent_path(), "/tmp");
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace fernwood
