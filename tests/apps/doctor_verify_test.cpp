// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "fernwood/core/device.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;

class DoctorAndVerify : public CommandLine {};

TEST_F(DoctorAndVerify, DoctorReportsWithAndWithoutAGpu) {
  const Outcome text = run({"doctor"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  const Json report = Json::parse(run({"doctor", "--json"}).out);
  EXPECT_EQ(report.at("gpus").size(), gpu_status().gpus.size());
  EXPECT_EQ(report.at("auto").at("device"), to_string(choose_device("auto").device));
  EXPECT_NE(run({"--version"}).out.find(report.at("version").get<std::string>()), std::string::npos);
}

TEST_F(DoctorAndVerify, EveryDeviceAndLayoutSaysTheSame) {
  const Outcome outcome = run({"verify", "--model", model(), "--data", rooms(), "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json report = Json::parse(outcome.out);
  EXPECT_EQ(report.at("frames"), 2) << "a folder with test/ in it means that";
  EXPECT_EQ(report.at("pixels"), 2 * 64 * 48);
  EXPECT_EQ(report.at("identical"), true);
  EXPECT_EQ(report.at("ways")[0].at("layout"), "baseline-gather");
  EXPECT_EQ(report.at("ways")[1].at("layout"), "baseline-scalar");
  std::set<std::string> devices, expected;
  for (const Json& way : report.at("ways")) devices.insert(way.at("device").get<std::string>());
  for (const Device device : available_devices()) expected.insert(to_string(device));
  EXPECT_EQ(devices, expected);
  const bool tells_that_none_is_here = outcome.out.find("no GPU was compared") != std::string::npos;
  EXPECT_EQ(tells_that_none_is_here, available_devices().size() == 1);
}

TEST_F(DoctorAndVerify, VerifyTakesSomeFramesOnly) {
  const Outcome outcome = run({"verify", "--model", model(), "--data", rooms(), "--max-frames", "1", "--json"});
  EXPECT_EQ(Json::parse(outcome.out).at("pixels"), 64 * 48) << outcome.err;
}

}  // namespace
}  // namespace fernwood::apps
