// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

/// Frames of unrelated rooms: the first is mapped, the others cannot be registered to it.
class MapCommand : public CommandLine {
 protected:
  static Words map(const Words& more, const std::string& source = "frames:" + (rooms() / "train").string()) {
    Words words = {"map", "--model", model(), "--source", source, "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// Likewise, where warnings or files may precede the error.
  void refuses(const Words& words, int exit_code) const {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    testdata::expect_sentence(outcome.err.substr(std::min(outcome.err.size(), outcome.err.rfind("error: "))));
  }
};

TEST_F(MapCommand, WritesPointsMeshMapAndFrames) {
  const Outcome outcome = run(map({"--out", out("p.ply"), "--mesh", out("m.ply"), "--map-file", out("room.map"),
                                   "--frames-out", out("frames"), "--page", out("page.html"), "--grid",
                                   out("grid.yaml"), "--all-probabilities", "--min-weight", "1", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  testdata::expect_sentence(outcome.err);
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result.at("frames"), 4);
  EXPECT_EQ(result.at("mapped"), 1);
  EXPECT_EQ(result.at("unregistered"), 3);
  EXPECT_EQ(result.at("points"), result.at("voxels"));
  EXPECT_GT(result.at("points"), 100);
  EXPECT_GT(result.at("stages").at("integrate").at("median_ms"), 0.0);
  EXPECT_THAT(text_of(out("p.ply")), HasSubstr("property float p_floor\n"));
  EXPECT_GE(result.at("grid").at("free_m2"), 0.0);
  EXPECT_GT(result.at("grid").at("size_m").at(0), 0.1);
  EXPECT_THAT(text_of(out("grid.yaml")), testing::StartsWith("image: \"grid.pgm\"\nmode: trinary\nresolution: 0.05\n"));
  EXPECT_THAT(text_of(out("grid.pgm")), testing::StartsWith("P5\n"));
  for (const char* name : {"m.ply", "room.map", "page.html"}) EXPECT_TRUE(fs::exists(out(name))) << name;
  std::size_t num_frames = 0;
  for (const auto& entry : fs::directory_iterator(out("frames")))
    num_frames += entry.path().filename().string().ends_with("_labels.png") ? 1 : 0;
  EXPECT_EQ(num_frames, 4u);
}

TEST_F(MapCommand, ThreadsDoNotChangeAByte) {
  for (const char* threads : {"1", "3"})
    ASSERT_EQ(run(map({"--out", out(std::string("p") + threads), "--map-file", out(std::string("m") + threads),
                       "--threads", threads}))
                  .exit_code,
              0);
  EXPECT_EQ(text_of(out("p1")), text_of(out("p3")));
  EXPECT_EQ(text_of(out("m1")), text_of(out("m3")));
}

TEST_F(MapCommand, LiveMakesTheSameMapOfEveryFrame) {
  const Words more = {"--model", model(), "--source", "frames:" + (rooms() / "train").string(), "--device", "cpu"};
  Words live = {"live",       "--headless", "--every-frame", "--map-out", out("l.ply"),
                "--map-file", out("l.map"), "--min-weight",  "1",         "--json"};
  live.insert(live.end(), more.begin(), more.end());
  const Outcome outcome = run(live);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out).at("map");
  EXPECT_EQ(result.at("mapped"), 1);
  EXPECT_EQ(result.at("unregistered"), 3);
  EXPECT_GT(result.at("points"), 100);
  ASSERT_EQ(
      run(map({"--out", out("m.ply"), "--map-file", out("m.map"), "--min-weight", "1", "--smooth", "0"})).exit_code, 0);
  EXPECT_EQ(text_of(out("l.ply")), text_of(out("m.ply")));
  EXPECT_EQ(text_of(out("l.map")), text_of(out("m.map")));
}

TEST_F(MapCommand, KeepsObjectsInTheMapFile) {
  const Outcome made = run(
      map({"--objects", "--map-file", out("a.map"), "--objects-out", out("a.json"), "--things", "table", "--json"}));
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(Json::parse(made.out).at("objects").at("gone"), 0);
  const Outcome listed = run({"map", "objects", out("a.map"), "--class", "table", "--near", "-1,0,2", "--json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_EQ(Json::parse(listed.out).at("schema_version"), 1);
  EXPECT_TRUE(Json::parse(text_of(out("a.json"))).at("objects").is_array());
  EXPECT_EQ(run({"map", "objects", out("a.map")}).out, "no objects\n") << "those of one frame are tentative";
  ASSERT_EQ(run(map({"--map-file", out("plain.map")})).exit_code, 0);
  refuses({"map", "objects", out("plain.map")}, kUsage);
  refuses({"map", "objects", out("a.map"), "--since", out("a.map"), "--class", "table"}, kUsage);
  refuses({"map", "objects"}, kUsage);
}

TEST_F(MapCommand, LivePrintsObjectsWithIds) {
  const Outcome outcome =
      run({"live", "--headless", "--every-frame", "--model", model(), "--device", "cpu", "--source",
           "frames:" + (rooms() / "train").string(), "--objects", "--json-lines", "--overlays-out", out("overlays")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  std::size_t num_lines = 0;
  for (std::string line; std::getline(lines, line); ++num_lines) {
    const Json frame = Json::parse(line);
    for (const Json& object : frame.at("objects")) EXPECT_TRUE(object.contains("id"));
  }
  EXPECT_EQ(num_lines, 4u);
  refuses({"live", "--headless", "--model", model(), "--source", "frames:" + (rooms() / "train").string(), "--objects",
           "--json-lines", "--json"},
          kUsage);
}

TEST_F(MapCommand, WhatLiveMappedIsKeptWhereItFails) {
  const fs::path data = copy_of_rooms();
  const std::string picture = text_of(data / "scene0002_colors.png");
  std::ofstream(data / "scene0002_colors.png") << picture.substr(0, picture.size() / 2);
  const Outcome outcome = run({"live", "--headless", "--every-frame", "--model", model(), "--device", "cpu", "--source",
                               "frames:" + data.string(), "--map-out", out("l.ply"), "--map-file", out("l.map")});
  EXPECT_EQ(outcome.exit_code, kData) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(out("l.map").string()));
  for (const char* name : {"l.map", "l.ply"}) EXPECT_TRUE(fs::exists(out(name))) << name;
}

TEST_F(MapCommand, LiveRefusesAMapThatNobodySees) {
  const Words live = {"live", "--headless", "--model", model(), "--source", "frames:" + (rooms() / "train").string()};
  const auto with = [&](Words more) {
    more.insert(more.begin(), live.begin(), live.end());
    return more;
  };
  refuses(with({"--map"}), kUsage);
  refuses(with({"--map-out", out("a"), "--map-file", out("a")}), kUsage);
}

TEST_F(MapCommand, RefusesWhatItCannotWriteBeforeAnyWork) {
  refuses(map({}), kUsage);
  refuses(map({"--out", out("a"), "--mesh", out("a")}), kUsage);
  refuses(map({"--out", out("nowhere/p.ply")}), kRuntime);
  refuses(map({"--out", out("p.ply"), "--voxel-size", "0.2"}), kUsage);
  refuses(map({"--mesh", out("p.ply"), "--all-probabilities"}), kUsage);
  refuses(map({"--mesh", out("p.ply"), "--floor", "floor"}), kUsage);
  refuses(map({"--grid", out("g.yaml"), "--floor", "no class"}), kUsage);
  refuses(map({"--grid", out("g.yaml"), "--out", out("g.pgm")}), kUsage);
  EXPECT_THAT(written(), testing::IsEmpty());
}

TEST_F(MapCommand, RefusesPosesThatReachNoPlaceOfAMap) {
  const fs::path data = copy_of_rooms();
  for (const std::string x : {"5400000", "1e39"}) {
    std::ofstream(data / "poses.txt") << "scene0000 " << x << " 0 0 0 0 0 1\nscene0001 " << x << " 0 0 0 0 0 1\n";
    refuses(map({"--map-file", out("far.map")}, "frames:" + data.string()), kData);
    EXPECT_FALSE(fs::exists(out("far.map")));
  }
}

TEST_F(MapCommand, TellsThatNoVoxelHasTheWeightOfAPoint) {
  const Outcome outcome = run(map({"--out", out("p.ply"), "--min-weight", "128"}));
  EXPECT_EQ(outcome.exit_code, 0);
  testdata::expect_sentence(outcome.err);
}

TEST_F(MapCommand, RefusesASourceWithoutFrames) {
  fs::create_directories(out("empty"));
  const Outcome outcome = run(map({"--out", out("p.ply")}, "frames:" + out("empty").string()));
  EXPECT_EQ(outcome.exit_code, kData) << outcome.err;
  EXPECT_FALSE(fs::exists(out("p.ply")));
}

TEST_F(MapCommand, ContinuesOnlyWhereTheSourceSaysWhere) {
  ASSERT_EQ(run(map({"--map-file", out("room.map")})).exit_code, 0);
  refuses(map({"--map-file", out("room.map"), "--continue", out("room.map")}), kUsage);
  const fs::path data = copy_of_rooms();
  std::ofstream(data / "poses.txt") << "scene0000 0 0 0 0 0 0 1\n";
  const std::string posed = "frames:" + data.string();
  refuses(map({"--map-file", out("b.map"), "--continue", out("room.map")}, posed), kUsage);
  ASSERT_EQ(run(map({"--map-file", out("posed.map")}, posed)).exit_code, 0);
  EXPECT_EQ(run(map({"--map-file", out("posed.map"), "--continue", out("posed.map")}, posed)).exit_code, 0);
  refuses(map({"--out", out("p.ply"), "--continue", out("room.map"), "--voxel-size", "0.04"}), kUsage);
  refuses(map({"--out", out("p.ply"), "--continue", model()}), kModel);
}

}  // namespace
}  // namespace fernwood::apps
