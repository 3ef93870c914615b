// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <sstream>

#include "core/platform/process_limits.h"
#include "fernwood/core/file.h"
#include "fernwood/core/file_stream.h"
#include "sentences.h"

namespace fernwood {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

platform::ProcessorText read(const std::string& cpuinfo) {
  std::istringstream text(cpuinfo);
  return platform::read_processor_text(text);
}

TEST(Platform, AnX86ProcessorIsTheFirstOfItsEqualCores) {
  const platform::ProcessorText text = read(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: A fast "
      "one\nstepping\t: 8\n"
      "microcode\t: 0x1\n\nprocessor\t: 1\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: A fast one\nstepping\t: 8\n"
      "microcode\t: 0x1\n");
  EXPECT_EQ(text.name, "A fast one");
  EXPECT_EQ(text.signature, "6-143-8-0x1");
}

TEST(Platform, AnArmProcessorHasTheKindsOfItsCores) {
  const std::string small =
      "processor\t: 0\nBogoMIPS\t: 48.00\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x2\n"
      "CPU part\t: 0xd05\nCPU revision\t: 0\n\n";
  const std::string big =
      "processor\t: 1\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x4\nCPU part\t: 0xd0b\n"
      "CPU revision\t: 0\n\n";
  EXPECT_EQ(read(small + small).signature, "0x41-0x2-0xd05-0");
  EXPECT_EQ(read(small + big).signature, "0x41-0x2+0x4-0xd05+0xd0b-0");
  EXPECT_EQ(read(small).name, "");
  EXPECT_EQ(read(small + "Hardware\t: BCM2835\nModel\t\t: A small board Rev 1.4\n").name, "A small board Rev 1.4");
}

TEST(Platform, SaysNothingWhereTheSystemDoesNot) {
  for (const char* text : {"", "\n\n", ": \n", "model name\n", "no colon at all"}) {
    EXPECT_EQ(read(text).name, "") << text;
    EXPECT_EQ(read(text).signature, "") << text;
  }
}

TEST(Platform, KnowsTheProgramThatRuns) {
  EXPECT_EQ(platform::own_program().filename(), "core_test");
  EXPECT_EQ(platform::own_library(), platform::own_program());
  EXPECT_THAT(platform::usable_cores(), Not(IsEmpty()));
  EXPECT_GT(platform::resident_memory_bytes(), 1u << 20);
  EXPECT_LT(platform::resident_memory_bytes(), platform::total_memory_bytes());
  EXPECT_LE(platform::available_memory_bytes(), platform::total_memory_bytes());
}

TEST(Platform, KnowsItsFileHoweverItWasStarted) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0)  // as by a shell that found the program through PATH
    ::execl("/proc/self/exe", "core_test", "--gtest_filter=Platform.KnowsTheProgramThatRuns", nullptr);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Platform, NothingIsLoadedFromTheCurrentFolder) {
  for (const char* name : {"./libm.so.6", "fernwood/plugins/fernwood_x.so"}) {
    std::string problem;
    EXPECT_EQ(platform::open_library(name, &problem), nullptr);
    testdata::expect_sentence(problem);
  }
}

/// The limits of a process, by files below proc and sys.
platform::ProcessLimits limits_of(const std::map<std::string, std::string>& files) {
  const ScratchFolder root;
  for (const auto& [name, text] : files) {
    std::filesystem::create_directories((root.path() / name).parent_path());
    OutputFile(root.path() / name) << text;
  }
  return platform::process_limits(root.path());
}

TEST(Platform, TheSmallestLimitOfNestedGroupsCounts) {
  const std::string v2 = "sys/fs/cgroup/", v1 = v2 + "memory/";
  const auto second = limits_of({{"proc/self/cgroup", "0::/batch/job\n"},
                                 {v2 + "batch/memory.max", "1000\n"},
                                 {v2 + "batch/memory.current", "900\n"},
                                 {v2 + "batch/memory.stat", "anon 500\ninactive_file 300\nactive_file 50\n"},
                                 {v2 + "batch/cpu.max", "150000 100000\n"},
                                 {v2 + "batch/job/memory.max", "max\n"},
                                 {v2 + "batch/job/memory.current", "800\n"},
                                 {v2 + "batch/job/cpu.max", "max 100000\n"}});
  EXPECT_EQ(second.memory_bytes, 1000u);
  EXPECT_EQ(second.free_memory_bytes, 450u);  // 1000 - (900 - 350)
  EXPECT_EQ(second.cores, 1.5);
  const auto slowed = limits_of({{"proc/self/cgroup", "0::/job\n"},
                                 {v2 + "job/memory.max", "1000\n"},
                                 {v2 + "job/memory.high", "700\n"},
                                 {v2 + "job/memory.current", "600\n"}});
  EXPECT_EQ(slowed.memory_bytes, 700u);
  EXPECT_EQ(slowed.free_memory_bytes, 100u);
  const auto first =
      limits_of({{"proc/self/cgroup", "5:cpu,cpuacct:/docker/4f\n4:memory:/docker/4f\n1:name=systemd:/\n"},
                 {v1 + "memory.limit_in_bytes", "2000\n"},  // of the container, whose path is outside
                 {v1 + "memory.usage_in_bytes", "2100\n"},
                 {v1 + "memory.stat", "inactive_file 1\ntotal_inactive_file 0\n"},
                 {v2 + "cpu/cpu.cfs_quota_us", "300000\n"},
                 {v2 + "cpu/cpu.cfs_period_us", "100000\n"}});
  EXPECT_EQ(first.memory_bytes, 2000u);
  EXPECT_EQ(first.free_memory_bytes, 0u);
  EXPECT_EQ(first.cores, 3);
  const auto none = limits_of({{"proc/self/cgroup", "5:cpu,cpuacct:/\n0::/\n"},
                               {v2 + "cpu/cpu.cfs_quota_us", "-1\n"},
                               {v2 + "cpu/cpu.cfs_period_us", "100000\n"}});
  EXPECT_GT(none.cores, 1e9);
  EXPECT_EQ(none.memory_bytes, SIZE_MAX);
  EXPECT_EQ(limits_of({}).free_memory_bytes, SIZE_MAX);
}

TEST(Platform, TheLimitOfTheAddressSpaceCounts) {  // beyond what sanitizers reserve
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  const struct rlimit less = {rlim_t{1} << 48, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &less), 0);
  const auto limits = limits_of({{"proc/self/statm", "1000 500 100\n"}});
  ::setrlimit(RLIMIT_AS, &before);
  EXPECT_EQ(limits.memory_bytes, std::size_t{1} << 48);
  EXPECT_EQ(limits.free_memory_bytes,
            (std::size_t{1} << 48) - 1000 * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
}

TEST(Platform, FindsFunctionsOfLibraries) {
  std::string problem;
  EXPECT_EQ(platform::open_library("libmissing_for_ever.so", &problem), nullptr);
  EXPECT_NE(problem.find("libmissing_for_ever.so"), std::string::npos) << problem;
  void* const math = platform::open_library("libm.so.6");
  ASSERT_NE(math, nullptr);
  EXPECT_NE(platform::find_in_library(math, "cos"), nullptr);
  EXPECT_EQ(platform::find_in_library(math, "no_such_function"), nullptr);
}

}  // namespace
}  // namespace fernwood
