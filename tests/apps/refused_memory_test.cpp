// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/command_line.h"

#ifdef FERNWOOD_FAILING_ALLOCATIONS

namespace fernwood::apps {
namespace {

/// Runs in which a large allocation fails.
class RefusedMemory : public CommandLine {
 protected:
  /// @param setting  Environment variable for the preloaded tests/apps/failing_allocations.cpp.
  Outcome run_with(const std::string& setting, const Words& arguments) const {
    Words words = {"LD_PRELOAD=" FERNWOOD_FAILING_ALLOCATIONS, setting, program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program("/usr/bin/env", words);
  }

  /// Fails each allocation of the command in turn and expects an error message where the command needed it; with all of
  /// them, the command must end with `code`.
  void expect_refusals(const Words& arguments, int code = 0) const {
    ASSERT_EQ(run_with("COUNT_ALLOCATIONS=" + out("count").string(), arguments).exit_code, code);
    const int count = std::stoi(text_of(out("count")));
    int refused = 0;
    for (int number = 1; number <= count; ++number) {
      const Outcome outcome = run_with("FAIL_ALLOCATION=" + std::to_string(number), arguments);
      if (outcome.exit_code == code) continue;  // was not needed
      ++refused;
      EXPECT_EQ(outcome.exit_code, kResource) << number << ": " << outcome.err;
      EXPECT_NE(outcome.err.find("memory ran out"), std::string::npos) << number;
    }
    EXPECT_GT(refused, 1);
  }
};

TEST_F(RefusedMemory, IsRefusedFromTheFirstAllocationOn) {
  const fs::path frame = rooms() / "train" / "scene0000";
  expect_refusals({"predict", "--model", model(), "--color", frame.string() + "_colors.png", "--depth",
                   frame.string() + "_depth.png", "--out", out("labelled"), "--device", "cpu"});
}

TEST_F(RefusedMemory, IsRefusedWhereNoExceptionMayLeave) {
  // nlohmann::json allocates in its destructor.
  std::string entries;
  for (int i = 0; i < 2000; ++i) entries += (i ? ",{}" : "{}");
  const fs::path file =
      folder_.write("task.json", R"({"images": [)" + entries + R"(], "annotations": [], "categories": []})");
  expect_refusals({"dataset", "import", "coco", file, "--out", out("imported")}, kData);
}

}  // namespace
}  // namespace fernwood::apps

#endif
