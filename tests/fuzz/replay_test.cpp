// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "fernwood/core/file.h"
#include "fuzz/target.h"

namespace fernwood::fuzz {

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

namespace {

namespace fs = std::filesystem;

class Replay : public testing::TestWithParam<Target> {
 protected:
  static void run(const Bytes& bytes, const std::string& what) {
    EXPECT_NO_THROW(GetParam().run(bytes.data(), bytes.size())) << what;
  }
};
INSTANTIATE_TEST_SUITE_P(EveryTarget, Replay, testing::ValuesIn(targets()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Replay, WhatWasFoundIsFixed) {
  const fs::path folder = fs::path(FERNWOOD_CORPUS) / GetParam().name;
  if (!fs::exists(folder)) return;  // nothing has been found for this target
  for (const fs::directory_entry& found : fs::directory_iterator(folder)) run(read_file(found), found.path().string());
}

TEST_P(Replay, SeedsAndSomeDamageToThemAreSafe) {
  const std::vector<Bytes> seeds = GetParam().seeds();
  run({}, "nothing");
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    const Bytes& seed = seeds[s];
    run(seed, "seed " + std::to_string(s));
    const std::uint32_t num_damaged = GetParam().damage ? 300 : 0;
    for (std::uint32_t i = 0; i < num_damaged; ++i)
      run(GetParam().damage(seed, i), "seed " + std::to_string(s) + ", damage " + std::to_string(i));
  }
}

TEST_P(Replay, SigningAWholeFileChangesNothing) {
  if (!GetParam().sign) return;  // a file without checksums
  for (const Bytes& seed : GetParam().seeds()) EXPECT_EQ(GetParam().sign(seed), seed);
}

}  // namespace
}  // namespace fernwood::fuzz
