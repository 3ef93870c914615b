// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fernwood/core/error.h"
#include "test_folder.h"

namespace fernwood {
namespace {

namespace fs = std::filesystem;

class Plugin : public testing::Test {
 protected:
  void SetUp() override { ::setenv("FERNWOOD_PLUGINS", folder_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("FERNWOOD_PLUGINS"); }
  const testdata::TestFolder folder_;
};

TEST_F(Plugin, ThatIsNotThereGivesNull) { EXPECT_EQ(find_plugin_function("nothing", "f"), nullptr); }

TEST_F(Plugin, NameCannotLeadElsewhere) {
  fs::create_directories(folder_ / "fernwood_a");
  std::ofstream(folder_ / "b.so") << "not a library";
  EXPECT_EQ(find_plugin_function("a/../b", "f"), nullptr);
  EXPECT_EQ(find_plugin_function("", "f"), nullptr);
}

TEST_F(Plugin, ThatCannotBeLoadedIsASentence) {
  std::ofstream(folder_ / "fernwood_broken.so") << "not a library";
  EXPECT_THROW(find_plugin_function("broken", "f"), Error);
}

}  // namespace
}  // namespace fernwood
