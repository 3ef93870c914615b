// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace fernwood {
namespace {

using ::testing::HasSubstr;
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
  EXPECT_EQ(platform::own_library().filename(), platform::own_program().filename());
  ASSERT_THAT(platform::own_arguments(), Not(IsEmpty()));
  EXPECT_THAT(platform::own_arguments()[0], HasSubstr("core_test"));
  EXPECT_THAT(platform::usable_cores(), Not(IsEmpty()));
  EXPECT_GT(platform::resident_memory_bytes(), 1u << 20);
  EXPECT_LT(platform::resident_memory_bytes(), platform::installed_memory_bytes());
  EXPECT_LE(platform::available_memory_bytes(), platform::installed_memory_bytes());
}

TEST(Platform, FindsFunctionsOfLibraries) {
  std::string problem;
  EXPECT_EQ(platform::open_library("libmissing_for_ever.so", &problem), nullptr);
  EXPECT_THAT(problem, HasSubstr("libmissing_for_ever.so"));
  void* const math = platform::open_library("libm.so.6");
  ASSERT_NE(math, nullptr);
  EXPECT_NE(platform::find_in_library(math, "cos"), nullptr);
  EXPECT_EQ(platform::find_in_library(math, "no_such_function"), nullptr);
}

}  // namespace
}  // namespace fernwood
