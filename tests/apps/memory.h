// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Worst-case files of at most 1 MiB for each parser of untrusted input: no command may need much more memory for them
// than for an ordinary small file. SECURITY.md states the bound, docs/benchmarks.md the measurements.

#include <functional>
#include <iostream>

#include "apps/command_line.h"
#include "core/sanitizers.h"
#include "fernwood/core/communicator.h"

namespace fernwood::apps {

inline constexpr std::size_t kMiB = std::size_t{1} << 20, kLargestFile = kMiB, kMaxMemory = 400 * kMiB;

inline std::string chars_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

/// Repeats `part` between `before` and `after` up to the largest file size. @param part  Called with its index, from 0.
inline std::string filled(const std::string& before, const std::function<std::string(std::size_t)>& part,
                          const std::string& after = "") {
  std::string text = before;
  for (std::size_t i = 0;; ++i) {
    const std::string more = part(i);
    if (text.size() + more.size() + after.size() > kLargestFile) return text + after;
    text += more;
  }
}
inline std::string filled(const std::string& before, const std::string& part, const std::string& after = "") {
  return filled(
      before, [&](std::size_t) { return part; }, after);
}

class Memory : public CommandLine {
 protected:
  /// Arguments of the command for a file. Any exit code of the program is accepted, but not a crash.
  using Command = std::function<Words(const fs::path& file)>;
  struct Worst {
    std::string name, bytes;
  };

  void SetUp() override {
    CommandLine::SetUp();
#if defined(FERNWOOD_ADDRESS_SANITIZER)
    GTEST_SKIP() << "the address sanitizer takes memory of its own";
#endif
  }

  void expect_bounded(const std::string& ordinary, const std::vector<Worst>& worst, const Command& command,
                      const std::string& extension = "") {
    const fs::path file = folder_ / ("input" + extension);
    const auto peak_of = [&](const std::string& bytes) {
      folder_.write(file.filename(), bytes);
      const Words words = command(file);
      const Outcome outcome = run(words);
      EXPECT_THAT(outcome.exit_code, testing::AnyOf(0, kRuntime, kUsage, kData, kModel, kResource)) << outcome.err;
      EXPECT_EQ(outcome.err.find("has no option"), std::string::npos) << outcome.err;
      return outcome.peak_bytes;
    };
    const std::size_t usual = peak_of(ordinary);
    for (const Worst& each : worst) {
      EXPECT_LE(each.bytes.size(), kLargestFile) << each.name;
      const std::size_t peak = peak_of(each.bytes), more = peak - std::min(peak, usual);
      std::cout << each.name << ": " << more / kMiB << " MiB more\n";
      EXPECT_LE(more, kMaxMemory) << each.name;
    }
  }
  std::string beside(const std::string& name) const { return (folder_ / name).string(); }
};

/// A list of empty objects, shorter than a file to leave space for the rest of the header.
inline std::string long_options() {
  constexpr std::size_t kRest = 4096;
  return filled("{\"a\":[", "{},", "{}]}" + std::string(kRest, ' '));
}

}  // namespace fernwood::apps
