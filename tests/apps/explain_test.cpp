// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "dataset/test_files.h"
#include "fernwood/dataset/dataset.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;

class ExplainCommand : public CommandLine {
 protected:
  Words words(const std::string& frame, const std::string& at, const Words& more = {}) const {
    Words words = {"explain", "--model", model(), "--data", rooms(), "--frame", frame, "--at", at};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  static Array2<std::uint16_t> depth_of(const std::string& frame) {
    return dataset::read_depth(rooms() / "test" / (frame + "_depth.png"));
  }
  /// First pixel in reading order whose depth is known, or unknown, as "X,Y".
  static std::string first_pixel(const std::string& frame, bool known) {
    const Array2<std::uint16_t> depth = depth_of(frame);
    const auto found = std::find_if(depth.begin(), depth.end(), [&](std::uint16_t d) { return (d > 0) == known; });
    const auto index = static_cast<std::size_t>(found - depth.begin());
    return std::to_string(index % depth.cols()) + "," + std::to_string(index / depth.cols());
  }
};

TEST_F(ExplainCommand, AgreesWithPredictAboutTheClass) {
  const std::string at = first_pixel("scene0004", true);
  const Outcome explained = run(words("scene0004", at, {"--json"}));
  ASSERT_EQ(explained.exit_code, 0) << explained.err;
  const Json json = Json::parse(explained.out);
  ASSERT_EQ(run({"predict", "--model", model(), "--data", rooms(), "--out", out("")}).exit_code, 0);
  const Array2<image::Rgb> labels = dataset::read_truth(out("scene0004_labels.png"));
  const Json classes = Json::parse(run({"describe", model(), "--json"}).out).at("classes");
  const image::Rgb color = labels(json.at("y").get<std::size_t>(), json.at("x").get<std::size_t>());
  const auto match =
      std::find_if(classes.begin(), classes.end(), [&](const Json& c) { return c.at("name") == json.at("class"); });
  ASSERT_NE(match, classes.end());
  char expected[8];
  std::snprintf(expected, sizeof expected, "#%02x%02x%02x", color.r, color.g, color.b);
  EXPECT_EQ(match->at("color"), expected);
}

TEST_F(ExplainCommand, FilesAndFolderGiveTheSameExplanation) {
  const std::string at = first_pixel("scene0005", true);
  const fs::path test = rooms() / "test";
  Json folder = Json::parse(run(words("scene0005", at, {"--json"})).out);
  Json files = Json::parse(run({"explain", "--model", model(), "--color", test / "scene0005_colors.png", "--depth",
                                test / "scene0005_depth.png", "--at", at, "--json"})
                               .out);
  EXPECT_EQ(files.at("frame"), "scene0005_colors.png");
  EXPECT_EQ(folder.at("trees"), files.at("trees"));
  EXPECT_FALSE(folder.at("trees").empty());
}

TEST_F(ExplainCommand, PrintsATableAndWritesAPage) {
  const Outcome outcome = run(words("scene0004", first_pixel("scene0004", true), {"--html", out("why.html")}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(written(), std::set<std::string>{"why.html"});
}

TEST_F(ExplainCommand, RefusesWhatIsNoPixelOfAFrame) {
  expect_each_refused({words("scene0004", "64,10"),
                       words("scene0004", "10"),
                       words("scene004", "1,1"),
                       words("kitchen", "1,1"),
                       {"explain", "--model", model(), "--data", rooms(), "--at", "1,1"},
                       {"explain", "--model", model(), "--at", "1,1"},
                       words("scene0004", "1,1", {"--color", "x.png"})});
}

TEST_F(ExplainCommand, APixelWithoutDepthIsRefusedWithTheNearestThatHasOne) {
  fs::path depth = folder_ / "hole_depth.png";
  Array2<std::uint16_t> holes(48, 64, 0);
  const Words files = {"explain",      "--model", model(), "--color", rooms() / "test/scene0004_colors.png",
                       "--depth",      depth,     "--at",  "10,10",   "--html",
                       out("why.html")};
  dataset::write_png16(depth, holes);
  const Outcome refused = run(files);  // after a warning of the depth image
  EXPECT_EQ(refused.exit_code, kData);
  testdata::expect_sentence(refused.err);
  holes(12, 20) = 1500;
  dataset::write_png16(depth, holes);
  expect_refused(files, kData);
}

}  // namespace
}  // namespace fernwood::apps
