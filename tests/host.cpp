// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
// Sets up the process as FERNWOOD_TEST_HOST describes, in words such as "tr_TR.UTF-8 upward flush" (locale, rounding,
// denormals). None of these may change a result. Linked into each test program.

#include <gtest/gtest.h>

#include <cfenv>
#include <clocale>
#include <cstdlib>
#include <iostream>
#include <locale>
#include <sstream>
#include <string>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace fernwood {
namespace {

class Host : public testing::EmptyTestEventListener {
 public:
  explicit Host(const std::string& description) {
    std::istringstream words(description);
    for (std::string word; words >> word;) take(word);
  }

  // Before each test, because a test may change the settings.
  void OnTestStart(const testing::TestInfo&) override {
    if (rounds_upward_) std::fesetround(FE_UPWARD);
#if defined(__SSE__)
    constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
    if (flushes_) _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
#endif
  }
  // gtest's own computations run in the default environment.
  void OnTestEnd(const testing::TestInfo&) override { std::fesetenv(FE_DFL_ENV); }

 private:
  void take(const std::string& word) {
    if (word == "upward")
      rounds_upward_ = true;
    else if (word == "flush")
      flushes_ = true;
    else
      set_locale(word);
  }

  static void set_locale(const std::string& name) {
    try {
      std::locale::global(std::locale(name));  // also sets the C locale
    } catch (const std::runtime_error&) {
      std::cerr << "this machine has no locale " << name << "; scripts/test_hosts makes it\n";
      std::exit(3);
    }
  }

  bool rounds_upward_ = false, flushes_ = false;
};

const bool kIsSet = [] {
  const char* const description = std::getenv("FERNWOOD_TEST_HOST");
  if (description && *description) testing::UnitTest::GetInstance()->listeners().Append(new Host(description));
  return true;
}();

}  // namespace
}  // namespace fernwood
