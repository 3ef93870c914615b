// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <set>
#include <sstream>

#include "apps/command_line.h"
#include "fernwood/encoder/encoder.h"
#include "fernwood/formats/import.h"
#include "fernwood/train/options.h"

namespace fernwood::apps {

namespace {

class Help : public CommandLine {
 protected:
  std::string printed(const Words& words) const {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
};

TEST_F(Help, TheProgramAlonePrintsAGuideAndFailsAsAnIncompleteLineDoes) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.exit_code, kUsage);
  EXPECT_EQ(outcome.out, "") << "no result";
  testdata::expect_sentence(outcome.err);
}

TEST_F(Help, WhatTheGuideNamesWorksAsItStands) {
  // The script calls the program by its name, through a shell function, on frames so small that it takes only a moment.
  std::string script = "set -e\ncd '" + (folder_ / "out").string() + "'\nfernwood() { '" + program() + "' \"$@\"; }\n";
  std::istringstream guide(run({}).err);
  int commands = 0;
  for (std::string line; std::getline(guide, line);) {
    if (!line.starts_with("  fernwood ")) continue;
    script += line + (line.find("generate") != std::string::npos ? " --size 64x48" : "") + "\n";
    ++commands;
  }
  EXPECT_EQ(commands, 3);
  const Outcome outcome = run_program("/bin/sh", {"-c", script});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::size_t overlays = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "out/labels"))
    overlays += entry.path().string().ends_with("_overlay.png");
  EXPECT_GT(overlays, 0u);
}

TEST_F(Help, HelpOfACommandIsWhatItsOptionPrints) {
  for (Words words : std::vector<Words>{{}, {"train"}, {"dataset", "check"}, {"help"}}) {
    Words asked = {"help"};
    asked.insert(asked.end(), words.begin(), words.end());
    words.emplace_back("--help");
    EXPECT_EQ(printed(asked), printed(words));
  }
}

TEST_F(Help, HelpOfWhatIsNoCommandNamesTheOneThatWasMeant) {
  expect_each_refused({{"help", "trian"}, {"help", "dataset", "chck"}, {"help", "train", "fast"}});
}

TEST_F(Help, TheVersionHasAShortName) { EXPECT_EQ(printed({"-V"}), printed({"--version"})); }

/// The options listed in the help of a command, without dashes.
std::set<std::string> options_in(const std::string& help) {
  std::set<std::string> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find("--");
    if (!line.starts_with("  -") || begin == std::string::npos) continue;
    std::string name = line.substr(begin + 2, line.find_first_of(" ,", begin) - begin - 2);
    if (name.starts_with("[no-]")) name.erase(0, 5);
    options.insert(name);
  }
  return options;
}

TEST_F(Help, OptionsOfTrainingHaveTheSameNamesForCallersOfTheLibrary) {
  std::set<std::string> options = options_in(printed({"train", "--help"}));
  for (const char* of_the_command : {"help", "data", "out", "optimize", "checkpoint-every", "resume", "json"})
    EXPECT_EQ(options.erase(of_the_command), 1u) << of_the_command;
  std::set<std::string> names;
  for (const std::string& name : names_of_options(train::PresetChoice::table())) names.insert(name);
  for (const std::string& name : names_of_options(dataset::DatasetOptions::table())) names.insert(name);
  for (const std::string& name : names_of_options(encoder::EncoderOptions::table())) names.insert(name);
  for (const std::string& name : names_of_options(train::TrainOptions::table())) names.insert(name);
  for (const std::string& name : names_of_options(train::TrainResources::table())) names.insert(name);
  EXPECT_EQ(options, names);
}

TEST_F(Help, EachFormatOfAnImportHasTheOptionsThatItHasAUseFor) {
  for (const formats::ImportFormat& format : formats::import_formats()) {
    const std::string name(format.name);
    std::set<std::string> options = options_in(printed({"dataset", "import", name, "--help"}));
    for (const char* of_the_command : {"help", "out", "dry-run", "threads"})
      EXPECT_EQ(options.erase(of_the_command), 1u) << name << " --" << of_the_command;
    std::set<std::string> expected(format.own_options.begin(), format.own_options.end());
    expected.insert("depth-scale");
    EXPECT_EQ(options, expected) << name;
  }
}

}  // namespace

}  // namespace fernwood::apps
