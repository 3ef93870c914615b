// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "fernwood/core/option_table.h"
#include "fernwood/records/record_file.h"
#include "fernwood/records/table_reader.h"
#include "fernwood/records/train_records.h"
#include "fernwood/stream/record_source.h"
#include "fernwood/stream/stream_options.h"

namespace fernwood::apps {
namespace {

/// A wrong value of an option, and the rule that the error message must state.
struct WrongValue {
  std::string name, value, rule;
};

/// The values just outside the row's range, and a word that is not among its choices.
std::vector<WrongValue> wrong_values_of(const OptionInfo& row) {
  if (row.type == OptionType::kChoice) return {{row.name, "\"?\"", "give " + list_names(row.choices)}};
  if (!row.range) return {};
  const OptionRange& range = *row.range;
  std::vector<double> values = {range.low_is_open ? range.low : range.low - 1};
  if (range.high != std::numeric_limits<int>::max())  // otherwise unbounded
    values.push_back(range.high_is_open ? range.high : range.high + 1);
  std::vector<WrongValue> wrong;
  for (const double value : values) {
    const bool is_below_unsigned = value < 0 && std::holds_alternative<std::uint64_t>(row.default_value);
    if (!is_below_unsigned) wrong.push_back({row.name, to_text(value), "give " + to_string(range)});
  }
  return wrong;
}

class OptionRows : public CommandLine {
 protected:
  /// Expects that the command refuses the wrong values of its option tables before it reads a file.
  template <typename... Options>
  void expect_rows_kept(const Words& command, const Options&... defaults) const {
    std::size_t num_refused = 0;
    const auto expect_table_kept = [&]<typename One>(const One& options) {
      for (const OptionInfo& row : describe_options(One::table(), options))
        for (const WrongValue& wrong : wrong_values_of(row)) {
          Words words = command;
          words.push_back("--" + row.name);
          words.push_back(row.type == OptionType::kChoice ? "?" : wrong.value);
          expect_refused(words, kUsage, {"--" + wrong.name + " is " + wrong.value + "; " + wrong.rule + "\n"});
          ++num_refused;
        }
    };
    (expect_table_kept(defaults), ...);
    EXPECT_GT(num_refused, sizeof...(Options)) << "tables have ranges or choices";
  }
};

TEST_F(OptionRows, OfStreamsAreKept) {
  expect_rows_kept({"stream", "train", "--data", "nowhere", "--out", out("tree")}, stream::StreamOptions(),
                   stream::StreamWork(), stream::StreamCheckpointOptions(), stream::FolderOptions(),
                   records::TableOptions());
}

TEST_F(OptionRows, OfRecordsAreKept) {
  expect_rows_kept({"train", "--data", "nowhere", "--out", out("forest")}, records::RecordTrainOptions(),
                   records::TableOptions());
}

TEST_F(OptionRows, OfImportsAreKept) {
  expect_rows_kept({"import", "--from", "nowhere", "--out", out("forest")}, records::ImportOptions());
}

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
  struct Case {
    Words dependent;
    std::string partners;
  };
  const std::vector<Case> cases = {
      {{"--drift-delta", "0.1"}, "--schedule adaptive; give that, too, or leave --drift-delta out"},
      {{"--switch-significance", "0.1"}, "--schedule adaptive"},
      {{"--drift-window", "9"}, "--schedule adaptive"},
      {{"--batch", "9"}, "--schedule hoeffding or --schedule adaptive; give one of them"},
      {{"--grace-period", "9"}, "--schedule hoeffding"},
      {{"--samples-per-leaf", "9"}, "--schedule fresh"},
      {{"--tie", "0.1"}, "--failure-probability"},
      {{"--accuracy-window", "9"}, "--schedule fresh"},
      {{"--poll-ms", "9"}, "--follow"},
      {{"--checkpoint-every", "9"}, "--checkpoint"}};
  for (const Case& one : cases) {
    Words words = {"stream", "train", "--data", table, "--out", out("model")};
    words.insert(words.end(), one.dependent.begin(), one.dependent.end());
    expect_refused(words, kUsage, {one.dependent[0] + " has no effect without " + one.partners});
  }
}

}  // namespace
}  // namespace fernwood::apps
