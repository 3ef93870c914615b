// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sentences.h"

namespace fernwood {
namespace {

using Json = nlohmann::json;

/// A workstation with an old and a new GPU.
MachineReport workstation() {
  MachineReport report;
  report.build = {
      .version = "1.2.3",
      .compiler = "GNU 12.2.0",
      .type = "Release",
      .processor = "x86_64",
      .toolkit = "13.0.88",
      .gpu_code = {"sm_90", "compute_90"},
      .libraries = {{"importing .mat files", "libmatio-dev", true}, {"decoding PNG fast", "libdeflate-dev", false}}};
  report.processor = "Some Processor";
  report.threads = 16;
  report.instruction_sets = {"baseline", "avx2"};
  report.memory_bytes = std::size_t{64} << 30;
  report.free_memory_bytes = std::size_t{48} << 30;
  report.gpus.built = true;
  report.gpus.toolkit_version = 13000;
  report.gpus.driver_version = 13010;
  report.gpus.gpus = {{.name = "Tesla T4",
                       .capability_major = 7,
                       .capability_minor = 5,
                       .multiprocessors = 40,
                       .memory_bytes = std::size_t{16} << 30,
                       .block_shared_bytes = 0,
                       .bus_id = "0000:1a:00.0",
                       .problem = "has compute capability 7.5, fernwood needs 8.0 or newer; use --device cpu"},
                      {.name = "NVIDIA H200",
                       .capability_major = 9,
                       .capability_minor = 0,
                       .multiprocessors = 132,
                       .memory_bytes = std::size_t{140} << 30,
                       .block_shared_bytes = 0,
                       .bus_id = "0000:1b:00.0",
                       .problem = {}}};
  report.gpu_memory = {{}, GpuMemory{std::size_t{139} << 30, std::size_t{140} << 30}};
  report.driver = "580.65.06";
  return report;
}

TEST(MachineTable, HasWhatAProgramMeasured) {
  const ProcessorFacts measured = {{{"gather", "scalar: 64 million"}}, R"({"gather": {"choice": "scalar"}})"};
  EXPECT_NE(machine_table(workstation(), false, measured).find("scalar: 64 million"), std::string::npos);
  const auto processor = nlohmann::ordered_json::parse(machine_json(workstation(), measured)).at("processor");
  EXPECT_EQ(processor.at("gather").at("choice"), "scalar");
  EXPECT_EQ(processor.back(), workstation().free_memory_bytes);
}

TEST(MachineTable, TellsWhichGpuIsTakenAndWhyTheOtherIsNot) {
  const std::string text = machine_table(workstation(), false);
  testdata::expect_sentence(text);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(MachineTable, FitsATerminalAndIsColouredOnRequest) {
  MachineReport report = workstation();
  report.cpu_energy_problem =
      std::string(30, 'x') + std::string(" and why") + std::string(300, ' ') + "more words of it";
  for (int i = 0; i < 30; ++i) report.cpu_energy_problem += " words and words";
  std::istringstream lines(machine_table(report, false));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(machine_table(report, true).find("\x1b[1mfernwood"), std::string::npos);
}

TEST(MachineTable, TellsWhatLinksGpus) {
  MachineReport report = workstation();
  report.nccl = "2.28.9";
  report.gpus.gpus[1].peers = {0};
  testdata::expect_sentence(machine_table(report, false));
  report.nccl.clear();
  report.nccl_problem = "libnccl.so.2 was not found; install it";
  testdata::expect_sentence(machine_table(report, false));
  const Json json = Json::parse(machine_json(report));
  EXPECT_TRUE(json.at("nccl").at("version").is_null());
  EXPECT_EQ(json.at("nccl").at("problem"), report.nccl_problem);
  EXPECT_EQ(json.at("gpus").at(1).at("peers"), Json::array({0}));
}

TEST(MachineTable, WithoutAUsableGpuSaysWhyTheCpuIsTaken) {
  MachineReport report = workstation();
  report.gpus.gpus.clear();
  report.gpu_memory.clear();
  report.gpus.driver_version = 12020;
  report.gpus.problem = "the NVIDIA driver supports CUDA 12.2, this build needs 13.0; install a newer driver";
  testdata::expect_sentence(machine_table(report, false));
  report.build.toolkit.clear();
  report.build.gpu_code.clear();
  report.gpus.driver_version = 0;
  report.driver.clear();
  testdata::expect_sentence(machine_table(report, false));
}

TEST(MachineTable, ABuildWithoutCodeForAGpuSaysWhatToConfigure) {
  MachineReport report = workstation();
  report.build.gpu_code = {"sm_80"};
  testdata::expect_sentence(machine_table(report, false));
  report.build.gpu_code = {"compute_80"};
  testdata::expect_sentence(machine_table(report, false));
}

TEST(MachineTable, TellsRanksWhereThereAreSeveral) {
  MachineReport report = workstation();
  EXPECT_EQ(Json::parse(machine_json(report)).at("ranks"), nullptr);
  report.ranks = {{{"left", 8, "cuda:0"}, {"right", 1, "cpu"}}, 25e-6, std::size_t{3} << 30, {}};
  testdata::expect_sentence(machine_table(report, false));
  EXPECT_EQ(Json::parse(machine_json(report)).at("ranks").at("places")[1].at("machine"), "right");
  EXPECT_TRUE(Json::parse(machine_json(report)).at("ranks").at("gpus").is_null());
  report.ranks.gpus = {.by = "NCCL 2.28.9", .problem = "", .bytes_per_second = std::size_t{100} << 30};
  testdata::expect_sentence(machine_table(report, false));
  report.ranks.gpus = {.by = "", .problem = "ranks 0 and 1 share a GPU", .bytes_per_second = 0};
  EXPECT_EQ(Json::parse(machine_json(report)).at("ranks").at("gpus").at("problem"), "ranks 0 and 1 share a GPU");
}

TEST(MachineJson, HoldsWhatTheTableSays) {
  const Json json = Json::parse(machine_json(workstation()));
  EXPECT_EQ(json.at("version"), "1.2.3");
  EXPECT_EQ(json.at("build").at("optional")[1].at("built_in"), false);
  EXPECT_EQ(json.at("driver").at("cuda"), "13.1");
  EXPECT_EQ(json.at("auto").at("device"), "cuda:1");
  EXPECT_EQ(json.at("auto").at("note"), nullptr);
  EXPECT_EQ(json.at("gpus")[0].at("usable"), false);
  EXPECT_EQ(json.at("gpus")[0].at("free_memory_bytes"), nullptr);
  EXPECT_EQ(json.at("gpus")[1].at("free_memory_bytes"), std::size_t{139} << 30);
  EXPECT_EQ(json.at("gpus")[1].at("compute_capability"), "9.0");
}

}  // namespace
}  // namespace fernwood
