// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "apps/pixel_model.h"
#include "fernwood/core/file.h"

namespace fernwood::apps {
namespace {

/// A LightGBM model of one tree: -1 for size <= 2, else 1.
constexpr const char* kLightgbm =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\nobjective=binary sigmoid:1\n"
    "feature_names=size\ntree_sizes=1\n\nTree=0\nnum_leaves=2\nsplit_feature=0\nthreshold=2\ndecision_type=2\n"
    "left_child=-1\nright_child=-2\nleaf_value=-1 1\n\nend of trees\n";

class RecordsImport : public CommandLine {
 protected:
  fs::path source() const {
    std::ofstream(folder_ / "model.txt") << kLightgbm;
    return folder_ / "model.txt";
  }
};

TEST_F(RecordsImport, WritesAFileThatDescribeKnows) {
  const Outcome imported = run({"import", "--from", source(), "--out", out("m"), "--classes", "no,yes"});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_EQ(imported.out, "1 tree with 2 leaves: " + out("m").string() + "\nnext    fernwood-tables describe " +
                              out("m").string() + "\n");
  const Outcome described = run({"describe", out("m")});
  EXPECT_THAT(described.out, testing::HasSubstr("trees       1, 3 nodes, 2 leaves, depth 1\nclasses     2: no, yes\n"));
  const nlohmann::json json = nlohmann::json::parse(run({"describe", out("m"), "--json"}).out);
  EXPECT_EQ(json["kind"], "records");
  EXPECT_EQ(json["link"], "logistic");
  EXPECT_EQ(json["provenance"]["imported_from"], "lightgbm");
  EXPECT_EQ(run({"describe", pixel_model(folder_ / "rooms.fernwood")}).exit_code, kModel);
}

TEST_F(RecordsImport, ANumberMayStandForUnknownValues) {
  const fs::path data = folder_.write("sizes.csv", "size\n1\n5\n7\n");
  const auto classes = [&](const Words& more) {
    Words words = {"import", "--from", source(), "--out", out("m"), "--classes", "no,yes"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(run(words).exit_code, 0);
    return run({"predict", "--model", out("m"), "--data", data, "--out", "-", "--no-remember"}).out;
  };
  EXPECT_EQ(classes({}), "class\nno\nyes\nyes\n");
  EXPECT_EQ(classes({"--missing", "5"}), "class\nno\nno\nyes\n") << "unknown sizes go left";
  EXPECT_EQ(classes({"--missing", "-5"}), "class\nno\nyes\nyes\n");
}

TEST_F(RecordsImport, AModelThatAnotherRunWritesIsNotReplaced) {
  {
    const OutputLock lock(folder_ / "m");
    expect_refused({"import", "--from", source(), "--out", folder_ / "m"}, kRuntime, {"m: another run"});
  }
  EXPECT_EQ(run({"import", "--from", source(), "--out", folder_ / "m"}).exit_code, 0);
  const OutputLock lock(folder_ / "m.h");
  expect_refused({"export", "--as", "cpp", "--model", folder_ / "m", "--out", folder_ / "m.h"}, kRuntime,
                 {"m.h: another run"});
}

TEST_F(RecordsImport, WrongInputIsRefusedAndNothingIsWritten) {
  expect_refused({"import", "--from", pixel_model(folder_ / "rooms.fernwood"), "--out", out("m")}, kModel,
                 {"is a model file of fernwood already"});
  expect_refused({"import", "--from", source(), "--out", out("m"), "--format", "pmml"}, kUsage,
                 {"--format is \"pmml\"; give auto"});
  expect_refused({"import", "--from", source(), "--out", out("m"), "--missing", "none"}, kUsage,
                 {"--missing is \"none\"; give a number"});
  expect_refused({"import", "--from", source(), "--out", out("m"), "--classes", "a"}, kUsage,
                 {"has 2 classes, but 1 name was given"});
}

class RecordsExport : public RecordsImport {
 protected:
  fs::path imported() const {
    EXPECT_EQ(run({"import", "--from", source(), "--out", folder_ / "m"}).exit_code, 0);
    return folder_ / "m";
  }
};

TEST_F(RecordsExport, WritesAHeaderThatNamesWhatToCall) {
  const fs::path header = out("forest.h");
  const Words words = {"export", "--as", "cpp", "--model", imported(), "--out", header};
  const Outcome exported = run(words);
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(exported.out, testing::StartsWith(header.string() + " ("));
  EXPECT_THAT(exported.out, testing::HasSubstr("): include it and call forest::classify(record) with 1 value\n"));
  EXPECT_THAT(text_of(header), testing::HasSubstr("inline int classify(const double* record)"));
  EXPECT_THAT(text_of(header), testing::HasSubstr("{0x1p+1, 1, 0, 1}"));
  const std::string before = text_of(header);
  EXPECT_EQ(run(words).exit_code, 0) << "an older header is replaced";
  EXPECT_EQ(text_of(header), before);
  EXPECT_EQ(run({"export", "--model", imported(), "--out", "-"}).out, before);
}

TEST_F(RecordsExport, WrongInputIsRefusedAndNothingIsWritten) {
  const fs::path records = imported();
  const auto refused = [&](const fs::path& from, const fs::path& to, const Words& more, int code, const Words& parts) {
    Words words = {"export", "--model", from, "--out", to};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(words, code, parts);
  };
  refused(records, out("f.h"), {"--as", "java"}, kUsage, {"--as is \"java\"; give cpp"});
  refused(records, out("f.h"), {"--namespace", "9"}, kUsage,
          {"--namespace is \"9\"; give letters, digits and _ that may name a namespace"});
  refused(records, records, {}, kUsage, {"--out names the file of --model"});
  refused(records, "-", {"--as", "onnx"}, kUsage, {"--out is -, and this output cannot go to standard output"});
  expect_refused({"import", "--from", source(), "--out", "-"}, kUsage, {"--out is -"});
  refused(records, folder_ / "nowhere" / "f.h", {}, kRuntime, {"nowhere"});
  refused("nowhere", out("f.h"), {}, kRuntime, {"nowhere: cannot be read"});
  refused(pixel_model(folder_ / "rooms.fernwood"), out("f.h"), {}, kModel, {"holds a forest that labels pixels"});
}

}  // namespace
}  // namespace fernwood::apps
