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
  testdata::expect_sentence(imported.out);
  const nlohmann::json json = nlohmann::json::parse(run({"describe", out("m"), "--json"}).out);
  EXPECT_EQ(json["kind"], "records");
  EXPECT_EQ(json["link"], "logistic");
  EXPECT_EQ(json["provenance"]["imported_from"], "lightgbm");
  EXPECT_EQ(run({"describe", pixel_model(folder_ / "rooms.fernwood")}).exit_code, kModel);
}

TEST_F(RecordsImport, AModelThatAnotherRunWritesIsNotReplaced) {
  {
    const OutputLock lock(folder_ / "m");
    EXPECT_EQ(run({"import", "--from", source(), "--out", folder_ / "m"}).exit_code, kRuntime);
  }
  EXPECT_EQ(run({"import", "--from", source(), "--out", folder_ / "m"}).exit_code, 0);
  const OutputLock lock(folder_ / "m.h");
  EXPECT_EQ(run({"export", "--as", "cpp", "--model", folder_ / "m", "--out", folder_ / "m.h"}).exit_code, kRuntime);
  EXPECT_FALSE(fs::exists(folder_ / "m.h"));
}

TEST_F(RecordsImport, WrongInputIsRefusedAndNothingIsWritten) {
  expect_refused({"import", "--from", pixel_model(folder_ / "rooms.fernwood"), "--out", out("m")}, kModel);
  expect_refused({"import", "--from", source(), "--out", out("m"), "--missing", "none"}, kUsage);
  expect_refused({"import", "--from", source(), "--out", "-"}, kUsage);
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
  EXPECT_THAT(exported.out, testing::HasSubstr("forest::classify(record)"));
  EXPECT_THAT(text_of(header), testing::HasSubstr("inline int classify(const double* record)"));
  const std::string before = text_of(header);
  EXPECT_EQ(run(words).exit_code, 0) << "an older header is replaced";
  EXPECT_EQ(text_of(header), before);
  EXPECT_EQ(run({"export", "--model", imported(), "--out", "-"}).out, before);
}

TEST_F(RecordsExport, WrongInputIsRefusedAndNothingIsWritten) {
  const fs::path records = imported();
  const auto refused = [&](const fs::path& from, const fs::path& to, const Words& more, int code) {
    Words words = {"export", "--model", from, "--out", to};
    words.insert(words.end(), more.begin(), more.end());
    expect_refused(words, code);
  };
  refused(records, out("f.h"), {"--as", "java"}, kUsage);
  refused(records, out("f.h"), {"--namespace", "9"}, kUsage);
  refused(records, records, {}, kUsage);
  refused(records, "-", {"--as", "onnx"}, kUsage);
  refused(records, folder_ / "nowhere" / "f.h", {}, kRuntime);
  refused(pixel_model(folder_ / "rooms.fernwood"), out("f.h"), {}, kModel);
}

}  // namespace
}  // namespace fernwood::apps
