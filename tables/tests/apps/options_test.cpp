// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "fernwood/records/record_file.h"

namespace fernwood::apps {
namespace {

TEST_F(CommandLine, AFlagMayHaveAValue) {
  const fs::path data = folder_.write("table.csv", "a,b,class\n1,2,x\n2,1,y\n3,2,x\n4,1,y\n");
  const auto is_bootstrapped = [&](const Words& more) {
    Words words = {"train", "--data", data, "--out", out("forest"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome trained = run(words);
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    return nlohmann::json::parse(records::load_records(out("forest")).options_json).at("bootstrap").get<bool>();
  };
  EXPECT_TRUE(is_bootstrapped({"--bootstrap=true"}));
  EXPECT_FALSE(is_bootstrapped({"--bootstrap=false"}));
  EXPECT_FALSE(is_bootstrapped({"--no-bootstrap=true"}));
  EXPECT_TRUE(is_bootstrapped({"--no-bootstrap=false"}));
  for (const std::string name : {"bootstrap", "no-bootstrap"})
    for (const std::string value : {"true", "false"}) {
      const fs::path file = folder_.write("options.toml", "[train]\n" + name + " = " + value + "\n");
      EXPECT_EQ(is_bootstrapped({"--config", file}), (name == "bootstrap") == (value == "true")) << name << value;
    }
}

TEST_F(CommandLine, OptionsOfStreamsWithoutEffectAreRefused) {
  const fs::path table = folder_.write("table.csv", "a,class\n1,x\n2,y\n");
  const std::vector<Words> cases = {
      {"--drift-delta", "0.1"}, {"--switch-significance", "0.1"}, {"--drift-window", "9"},
      {"--batch", "9"},         {"--grace-period", "9"},          {"--samples-per-leaf", "9"},
      {"--tie", "0.1"},         {"--accuracy-window", "9"},       {"--checkpoint-every", "9"},
      {"--poll-ms", "9"}};
  for (const Words& dependent : cases) {
    Words words = {"stream", "train", "--data", table, "--out", out("model")};
    words.insert(words.end(), dependent.begin(), dependent.end());
    expect_refused(words, kUsage);
  }
}

}  // namespace
}  // namespace fernwood::apps
