// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "fernwood/core/error.h"
#include "lab/records/strategies.h"
#include "records/record_models.h"

namespace fernwood::lab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Sets an environment variable until the end of a test.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before, had_one_ = true;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() { had_one_ ? ::setenv(name_, before_.c_str(), 1) : ::unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_one_ = false;
};

class Compiler : public testing::Test {
 protected:
  void SetUp() override {
    if (find_compiler().empty()) GTEST_SKIP() << "there is no C++ compiler";
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = fs::path(testing::TempDir()) / ("fernwood_compiler_test" + std::to_string(getpid()));
  Setting cache_{"FERNWOOD_CACHE", folder_.string()};
};

const char* const kFortyTwo = "extern \"C\" { extern const int answer; const int answer = 42; }";

TEST_F(Compiler, CompilesAndLoads) {
  const CompiledCode code(kFortyTwo, {"-O1"}), again(kFortyTwo, {"-O1"});
  EXPECT_EQ(*static_cast<const int*>(code.find("answer")), 42);
  EXPECT_EQ(*static_cast<const int*>(again.find("answer")), 42);
  EXPECT_THROW(code.find("question"), Error);
}

TEST_F(Compiler, TakesNoCodeFromACache) {
  const CompiledCode code(kFortyTwo, {"-O1"});
  EXPECT_FALSE(fs::exists(folder_ / "code"));
}

TEST_F(Compiler, TellsTheFirstComplaintInOneSentence) {
  try {
    CompiledCode("int f() { return g; }", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kRuntime);
    EXPECT_THAT(error.what(), HasSubstr("error"));
    EXPECT_THAT(error.what(), HasSubstr("set CXX to another one"));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
  }
}

TEST_F(Compiler, WithoutOneStrategiesNameTheRemedy) {
  const Setting compiler("CXX", "/no/such/compiler");
  const records::RecordForest forest = records::stumps({{0, 1.0f}});
  for (const char* strategy : {"if-else", "no-if"}) {
    EXPECT_EQ(unsupported_reason_for(forest, strategy, records::Values::kFloat, Device{}),
              "there is no C++ compiler; install g++ or clang++, or set CXX");
    EXPECT_THROW(make_evaluator(forest, strategy, records::Values::kFloat, Device{}, 1), Error);
  }
}

TEST_F(Compiler, NamesOfTheEnvironmentAreNoCommandsOfAShell) {
  const fs::path trap = folder_ / "trap";
  const Setting compiler("CXX", "c++; touch " + trap.string());
  EXPECT_TRUE(find_compiler().empty());
  EXPECT_FALSE(fs::exists(trap));
}

}  // namespace
}  // namespace fernwood::lab
