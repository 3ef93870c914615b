// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/output_lock.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "fernwood/core/error.h"

namespace fernwood {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class OutputLockTest : public testing::Test {
 protected:
  OutputLockTest() { fs::create_directories(folder_); }
  ~OutputLockTest() override { fs::remove_all(folder_); }
  bool is_free(const fs::path& path) { return OutputLock::try_lock(path).has_value(); }

  const fs::path folder_ = fs::temp_directory_path() / ("fernwood_output_lock_" + std::to_string(::getpid()));
  const fs::path model_ = folder_ / "model";
};

TEST_F(OutputLockTest, HoldsOneOutputForOneRunUntilItEnds) {
  {
    const OutputLock lock(model_);
    EXPECT_FALSE(is_free(model_));
    EXPECT_TRUE(is_free(folder_ / "another"));
    try {
      const OutputLock second(model_);
      FAIL() << "two runs have the lock";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
      EXPECT_THAT(error.what(), AllOf(HasSubstr(model_.string()), HasSubstr("another run"),
                                      HasSubstr("process " + std::to_string(::getpid())), HasSubstr("name another")));
    }
  }
  EXPECT_TRUE(is_free(model_));
  EXPECT_TRUE(fs::is_empty(folder_)) << "no file stays";
}

TEST_F(OutputLockTest, GoesWhereItIsMoved) {
  OutputLock kept;
  {
    OutputLock lock(model_);
    kept = std::move(lock);
  }
  EXPECT_FALSE(is_free(model_));
  kept = OutputLock();
  EXPECT_TRUE(is_free(model_));
}

TEST_F(OutputLockTest, OfAKilledRunIsTakenOver) {
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputLock lock(model_);
    ::_exit(fs::exists(model_.string() + ".lock") ? 0 : 1);  // as when killed: nothing is cleaned up
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(fs::exists(model_.string() + ".lock"));
  EXPECT_TRUE(is_free(model_));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputLockTest, IsOfTheFileBehindALink) {
  std::ofstream(model_) << "a model";
  fs::create_symlink(model_, folder_ / "link");
  const OutputLock lock(folder_ / "link");
  EXPECT_FALSE(is_free(model_));
}

TEST_F(OutputLockTest, OfAFolderLeavesNothingInIt) {
  const OutputLock lock(folder_);
  EXPECT_FALSE(is_free(folder_));
  EXPECT_TRUE(is_free(model_)) << "a file in it is another output";
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(OutputLockTest, WritesThroughNoLink) {
  std::ofstream(folder_ / "victim") << "precious";
  fs::create_symlink(folder_ / "victim", model_.string() + ".lock");
  { EXPECT_TRUE(is_free(model_)); }
  std::string text;
  std::ifstream(folder_ / "victim") >> text;
  EXPECT_EQ(text, "precious");
}

TEST_F(OutputLockTest, StandsInNobodysWayWhereNoFileCanBeMade) { EXPECT_TRUE(is_free(folder_ / "missing" / "model")); }

}  // namespace
}  // namespace fernwood
