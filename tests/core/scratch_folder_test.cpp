// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "fernwood/core/error.h"
#include "sentences.h"

namespace fernwood {
namespace {

TEST(ScratchFolder, AFolderThatIsGoneIsNamedWithItsVariable) {
  const char* const before = ::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/nonexistent/gone", 1);
  testdata::expect_refused(ErrorKind::kRuntime, [] { ScratchFolder(); });
  ::setenv("TMPDIR", "", 1);
  EXPECT_EQ(ScratchFolder().path().parent_path(), "/tmp");
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace fernwood
