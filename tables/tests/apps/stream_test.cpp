// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::apps {
namespace {

using Stream = CommandLine;

TEST_F(Stream, GeneratedRecordsAreTheSameInBothFormats) {
  const Words small = {"generate", "--records", "300", "--attributes", "6", "--informative", "3"};
  const auto generate = [&](const char* name, const Words& more = {}) {
    Words words = small;
    words.insert(words.end(), {"--out", out(name).string()});
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome told = generate("a.libsvm");
  ASSERT_EQ(told.exit_code, 0) << told.err;
  testdata::expect_sentence(told.out);  // the name states the format
  testdata::expect_sentence(generate("e.csv", {"--format", "libsvm"}).out);
  for (const char* name : {"f.tsv", "f.CSV"}) {
    ASSERT_EQ(generate(name).exit_code, 0);
    const std::string header = name == std::string("f.tsv") ? "1\t2\t3\t4\t5\t6\tclass\n" : "1,2,3,4,5,6,class\n";
    EXPECT_TRUE(text_of(out(name)).starts_with(header)) << name;
  }
  ASSERT_EQ(generate("b.csv", {"--threads", "1"}).exit_code, 0);
  ASSERT_EQ(generate("c", {"--format", "csv", "--skip", "100"}).exit_code, 0);
  ThreadPool pool(1);
  const records::RecordTable libsvm = records::read_table(out("a.libsvm"), {}, pool),
                             csv = records::read_table(out("b.csv"), {}, pool);
  EXPECT_EQ(libsvm.values.rows(), 300u);
  EXPECT_TRUE(libsvm.values == csv.values && libsvm.labels == csv.labels && libsvm.attributes == csv.attributes);
  EXPECT_TRUE(records::read_table(out("f.tsv"), {}, pool).values == csv.values);
  const records::RecordTable later = records::read_table(out("c"), {}, pool);
  for (std::size_t a = 0; a < 6; ++a) EXPECT_EQ(later.values(3, a), csv.values(103, a));

  const auto json = nlohmann::json::parse(generate("d.csv", {"--json", "--seed", "5"}).out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["records"], 300);
  EXPECT_EQ(json["bytes"], fs::file_size(out("d.csv")));
  EXPECT_NE(text_of(out("d.csv")), text_of(out("b.csv")));

  Words shown = small;
  shown.insert(shown.end(), {"--out", "-"});
  EXPECT_EQ(run(shown).out, text_of(out("a.libsvm")));
  shown.insert(shown.end(), {"--format", "csv"});
  EXPECT_EQ(run(shown).out, text_of(out("b.csv")));
}

TEST_F(Stream, WrongInputIsNamed) {
  expect_refused({"stream"}, kUsage);
  const std::string file = out("x.csv").string();
  expect_refused({"generate"}, kUsage);
  expect_refused({"generate", "--out", file, "--records", "-1"}, kUsage);
  expect_refused({"generate", "--out", file, "--attributes", "11"}, kUsage);
  expect_refused({"generate", "--out", file, "--format", "arff"}, kUsage);
  expect_refused({"generate", "--out", out("none/x").string()}, kRuntime);
  expect_refused({"generate", "--out", "-", "--json"}, kUsage);
}

}  // namespace
}  // namespace fernwood::apps
