// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "core/energy_counter.h"
#include "sentences.h"
#include "test_folder.h"

namespace fernwood {
namespace {

namespace fs = std::filesystem;

/// A powercap folder with counters set by the test.
class Rapl : public testing::Test {
 protected:
  void set(const std::string& zone, const std::string& file, const std::string& text) const {
    fs::create_directories(folder_ / zone);
    std::ofstream(folder_ / zone / file) << text << "\n";
  }
  void add_zone(const std::string& zone, const std::string& name, std::uint64_t energy_uj) const {
    set(zone, "name", name);
    set(zone, "max_energy_range_uj", "262143328850");
    set_energy(zone, energy_uj);
  }
  void set_energy(const std::string& zone, std::uint64_t energy_uj) const {
    set(zone, "energy_uj", std::to_string(energy_uj));
  }
  EnergySources sources() const { return {.powercap = folder_, .nvml = "no_such_library.so", .gpus = {}}; }

  const testdata::TestFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(Rapl, CountsJoulesSinceTheMeterWasMade) {
  add_zone("intel-rapl:0", "package-0", 5'000'000);
  EnergyMeter meter(sources());
  EXPECT_DOUBLE_EQ(meter.cpu_joules().value(), 0.0);
  set_energy("intel-rapl:0", 7'500'000);
  EXPECT_DOUBLE_EQ(meter.cpu_joules().value(), 2.5);
  set_energy("intel-rapl:0", 8'000'000);
  EXPECT_DOUBLE_EQ(meter.cpu_joules().value(), 3.0) << "not since it was last asked";
  EXPECT_EQ(meter.cpu_problem(), "");
}

TEST_F(Rapl, AWrappedCounterGoesOn) {
  add_zone("intel-rapl:0", "package-0", 262'143'000'000);
  EnergyMeter meter(sources());
  set_energy("intel-rapl:0", 1'671'150);
  // 0.328850 J up to the wrap of the counter, and 1.671150 J after it.
  EXPECT_NEAR(meter.cpu_joules().value(), 2.0, 1e-9);
  set_energy("intel-rapl:0", 2'671'150);
  EXPECT_NEAR(meter.cpu_joules().value(), 3.0, 1e-9);
}

TEST_F(Rapl, AddsPackagesAndTheirMemoryAndNothingTwice) {
  const std::vector<std::pair<std::string, std::string>> zones = {
      {"intel-rapl:0", "package-0"}, {"intel-rapl:0:0", "core"}, {"intel-rapl:0:1", "dram"},
      {"intel-rapl:1", "package-1"}, {"intel-rapl:2", "psys"},   {"intel-rapl-mmio:0", "package-0"}};
  for (const auto& [zone, name] : zones) add_zone(zone, name, 0);
  fs::create_directories(folder_ / "intel-rapl");  // the folder of the control type, which has no counter
  EnergyMeter meter(sources());
  std::uint64_t energy_uj = 1'000'000;
  for (const auto& [zone, name] : zones) set_energy(zone, std::exchange(energy_uj, 2 * energy_uj));
  EXPECT_DOUBLE_EQ(meter.cpu_joules().value(), 1 + 4 + 8);
}

TEST_F(Rapl, WithoutCountersSaysWhatIsMissing) {
  for (const fs::path& powercap : {folder_, folder_ / "none"}) {
    EnergyMeter meter({.powercap = powercap, .nvml = "no_such_library.so", .gpus = {}});
    EXPECT_FALSE(meter.cpu_joules());
    testdata::expect_sentence(meter.cpu_problem());
  }
}

TEST_F(Rapl, ACounterForRootOnlySaysHowToReadIt) {
  add_zone("intel-rapl:0", "package-0", 0);
  add_zone("intel-rapl:1", "package-1", 0);
  // Not even root can read a folder as a file.
  fs::remove(folder_ / "intel-rapl:1/energy_uj");
  fs::create_directory(folder_ / "intel-rapl:1/energy_uj");
  EnergyMeter meter(sources());
  EXPECT_FALSE(meter.cpu_joules()) << "half of the machine's energy is no energy of the machine";
  testdata::expect_sentence(meter.cpu_problem());
}

TEST_F(Rapl, ACounterThatVanishesEndsTheMeasurement) {
  add_zone("intel-rapl:0", "package-0", 0);
  EnergyMeter meter(sources());
  fs::remove(folder_ / "intel-rapl:0/energy_uj");
  EXPECT_FALSE(meter.cpu_joules());
  testdata::expect_sentence(meter.cpu_problem());
  set_energy("intel-rapl:0", 1'000'000);
  EXPECT_FALSE(meter.cpu_joules());
}

TEST_F(Rapl, GpuEnergyNeedsTheDriversLibrary) {
  EnergyMeter meter(sources());
  EXPECT_FALSE(meter.gpu_joules());
  testdata::expect_sentence(meter.gpu_problem());
  EnergySources other = sources();
  other.nvml = "libm.so.6";
  testdata::expect_sentence(EnergyMeter(other).gpu_problem());
}

/// A driver with two GPUs; while `divided` is set (MIG instances), the second reports no energy.
struct FakeDriver {
  int open_sessions = 0, init_code = 0;
  unsigned num_gpus = 2;
  unsigned long long energy_mj[2] = {};
  bool divided = false;

  static FakeDriver& instance() {
    static FakeDriver driver;
    return driver;
  }
  static NvmlFunctions functions() {
    NvmlFunctions nvml;
    nvml.init = [] { return instance().open_sessions += instance().init_code == 0, instance().init_code; };
    nvml.shutdown = [] { return --instance().open_sessions, 0; };
    nvml.error_string = [](int code) { return code == 3 ? "Not Supported" : "Driver Not Loaded"; };
    nvml.gpu_count = [](unsigned* count) { return *count = instance().num_gpus, 0; };
    nvml.gpu_by_index = [](unsigned index, NvmlFunctions::Gpu* gpu) { return *gpu = &instance().energy_mj[index], 0; };
    nvml.gpu_by_bus_id = [](const char* id, NvmlFunctions::Gpu* gpu) {
      return *gpu = &instance().energy_mj[std::strcmp(id, "0000:1b:00.0") == 0 ? 1 : 0], 0;
    };
    nvml.total_energy_mj = [](NvmlFunctions::Gpu gpu, unsigned long long* energy_mj) {
      *energy_mj = *static_cast<unsigned long long*>(gpu);
      return instance().divided && gpu == &instance().energy_mj[1] ? 3 : 0;
    };
    nvml.driver_version = [](char* text, unsigned size) { return std::strncpy(text, "580.65.06", size), 0; };
    return nvml;
  }
};

class Nvml : public testing::Test {
 protected:
  void SetUp() override { driver_ = FakeDriver{}; }
  FakeDriver& driver_ = FakeDriver::instance();
};

TEST_F(Nvml, AddsAllGpusOrThoseAskedFor) {
  driver_.energy_mj[0] = 1000;
  driver_.energy_mj[1] = 5000;
  const NvmlSession session(FakeDriver::functions());
  EnergySum all(nvml_counters(session, {})), second(nvml_counters(session, {"0000:1b:00.0"}));
  driver_.energy_mj[0] = 1500;
  driver_.energy_mj[1] = 7000;
  EXPECT_DOUBLE_EQ(all.joules().value(), 2.5);
  EXPECT_DOUBLE_EQ(second.joules().value(), 2.0);
}

TEST_F(Nvml, AGpuThatTellsNoEnergyIsNamed) {
  driver_.divided = true;
  const NvmlSession session(FakeDriver::functions());
  EnergySum all(nvml_counters(session, {}));
  EXPECT_FALSE(all.joules());
  testdata::expect_sentence(all.problem());
  EXPECT_TRUE(EnergySum(nvml_counters(session, {"0000:1a:00.0"})).joules());
}

TEST_F(Nvml, WithoutAGpuSaysSo) {
  driver_.num_gpus = 0;
  const NvmlSession session(FakeDriver::functions());
  testdata::expect_sentence(nvml_counters(session, {}).problem);
}

TEST_F(Nvml, ASessionEndsWhatItBegan) {
  {
    const NvmlSession session(FakeDriver::functions());
    EXPECT_EQ(driver_.open_sessions, 1);
    EXPECT_EQ(session.driver_version(), "580.65.06");
  }
  EXPECT_EQ(driver_.open_sessions, 0);
  driver_.init_code = 9;
  {
    const NvmlSession session(FakeDriver::functions());
    testdata::expect_sentence(session.problem());
    EXPECT_EQ(session.driver_version(), "");
    EXPECT_EQ(nvml_counters(session, {}).problem, session.problem());
  }
  EXPECT_EQ(driver_.open_sessions, 0) << "what did not begin does not end";
}

}  // namespace
}  // namespace fernwood
