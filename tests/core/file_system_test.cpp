// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/platform/file_system.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood {
namespace {

namespace fs = std::filesystem;

class Links : public testing::Test {
 protected:
  Links() {
    fs::create_symlink("target", folder_ / "link");
    fs::create_symlink("link", folder_ / "around");
  }
  const testdata::TestFolder folder_;
};

TEST_F(Links, ADanglingOneNamesTheFileToCreate) {
  for (const char* name : {"target", "link", "around"}) EXPECT_EQ(behind_links(folder_ / name), folder_ / "target");
  check_writable(folder_ / "around", NamedBy::kUser);
  EXPECT_FALSE(fs::exists(folder_ / "target"));
  write_file_atomically(folder_ / "around", NamedBy::kUser, [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(read_text(folder_ / "target"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "around"));
}

TEST_F(Links, ADanglingOneIsLockedAsTheFileThatItNames) {
  const OutputLock lock(folder_ / "around");
  for (const char* name : {"target", "link", "around"}) EXPECT_FALSE(OutputLock::try_lock(folder_ / name)) << name;
}

TEST_F(Links, ADanglingOneIntoAMissingFolderIsRefused) {
  fs::create_symlink("gone/target", folder_ / "astray");
  testdata::expect_refused(ErrorKind::kRuntime, [&] { check_writable(folder_ / "astray", NamedBy::kUser); });
}

}  // namespace
}  // namespace fernwood
