// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/machine.h"
#include "fernwood/core/device.h"
#include "fernwood/core/platform.h"

namespace fernwood {
namespace {

TEST(GpuCode, MachineCodeServesItsMajorVersionFromItsMinorOneOn) {
  const std::vector<std::string> code = {"sm_80", "sm_89"};
  EXPECT_EQ(gpu_code_for(8, 0, code), GpuCode::kNative);
  EXPECT_EQ(gpu_code_for(8, 6, code), GpuCode::kNative);  // runs the code for 8.0
  EXPECT_EQ(gpu_code_for(7, 5, code), GpuCode::kNone);
  EXPECT_EQ(gpu_code_for(9, 0, code), GpuCode::kNone);
  EXPECT_EQ(gpu_code_for(8, 6, {"sm_89"}), GpuCode::kNone);
}

TEST(GpuCode, PtxIsTranslatedForWhatIsNotOlder) {
  EXPECT_EQ(gpu_code_for(9, 0, {"sm_80", "compute_86"}), GpuCode::kTranslated);
  EXPECT_EQ(gpu_code_for(12, 0, {"compute_90"}), GpuCode::kTranslated);
  EXPECT_EQ(gpu_code_for(8, 0, {"compute_86"}), GpuCode::kNone);
  EXPECT_EQ(gpu_code_for(8, 6, {"compute_80", "sm_86"}), GpuCode::kNative) << "machine code is preferred";
}

TEST(GpuCode, CodeForOneGpuOnlyCountsForNone) {
  EXPECT_EQ(gpu_code_for(9, 0, {"sm_90a", "compute_90a", "native", ""}), GpuCode::kNone);
}

TEST(BuildInfo, TellsTheSameAsTheRestOfTheBuild) {
  const BuildInfo& build = build_info();
  EXPECT_THAT(build.version, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(build.toolkit.empty(), !gpu_status().built);
  EXPECT_EQ(build.gpu_code.empty(), !gpu_status().built);
  EXPECT_GE(build.libraries.size(), 3u) << "the library's own; the program has more";
  for (const OptionalLibrary& library : build.libraries) {
    EXPECT_THAT(library.package,
                testing::MatchesRegex("(lib.*|cyclonedds)-dev( [0-9.]+ or newer)?|OrbbecSDK 2|.* of PyPI"));
    EXPECT_EQ(library.purpose.find('('), std::string::npos) << library.purpose;
  }
}

TEST(AvailableMemory, IsMoreThanThisTestNeeds) { EXPECT_GT(platform::available_memory_bytes(), 1000000u); }

TEST(Machine, ChoosesWhatTheProgramChooses) {
  const MachineReport here = inspect_machine();
  EXPECT_EQ(automatic_device(here.gpus).device, choose_device("auto").device);
  EXPECT_EQ(automatic_device(here.gpus).note, choose_device("auto").note);
  EXPECT_EQ(here.gpu_memory.size(), here.gpus.gpus.size());
  EXPECT_GE(here.threads, 1);
  EXPECT_GT(here.memory_bytes, here.free_memory_bytes);
}

TEST(UserFolder, IsNotNamedByARelativePath) {
  constexpr const char* kVariable = "FERNWOOD_TEST_OF_USER_FOLDERS";
  const std::filesystem::path within_home = user_folder(kVariable, ".cache");
  const auto folder_named = [&](const char* text) {
    ::setenv(kVariable, text, 1);
    const std::filesystem::path folder = user_folder(kVariable, ".cache");
    ::unsetenv(kVariable);
    return folder;
  };
  EXPECT_EQ(folder_named("/named"), "/named");
  for (const char* text : {"", "relative", "./relative", "../relative"})
    EXPECT_EQ(folder_named(text), within_home) << text;
  const char* const home = std::getenv("HOME");
  const bool has_home = home != nullptr && *home != '\0';
  EXPECT_EQ(within_home, has_home ? std::filesystem::path(home) / ".cache" : std::filesystem::path());
}

TEST(InspectRanks, AllGetToKnowAll) {
  run_as_ranks(3, [](Communicator& ranks) {
    const RanksReport report = inspect_ranks(ranks);
    ASSERT_EQ(report.ranks.size(), 3u);
    for (const RankPlace& place : report.ranks) {
      EXPECT_FALSE(place.machine.empty());
      EXPECT_GE(place.cores, 1);
      EXPECT_FALSE(place.device.empty());
    }
    EXPECT_GT(report.seconds_of_rendezvous, 0);
    EXPECT_GT(report.bytes_per_second, 0);
  });
}

TEST(InspectRanks, OneHasNobodyToSendTo) {
  const RanksReport report = inspect_ranks(*make_lone_communicator());
  EXPECT_EQ(report.ranks.size(), 1u);
  EXPECT_EQ(report.bytes_per_second, 0);
}

}  // namespace
}  // namespace fernwood
