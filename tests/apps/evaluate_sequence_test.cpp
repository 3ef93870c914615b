// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "fernwood/dataset/frame_poses.h"
#include "fernwood/dataset/image_io.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;

/// Two recordings of eight frames each, train/room0000 and train/room0001, shared by all tests.
class EvaluateSequence : public CommandLine {
 protected:
  static fs::path recordings() {
    static const testdata::TestFolder shared;
    const fs::path train = shared / "recordings/train";
    if (!fs::exists(train)) {
      const Outcome made = run_in(
          rooms(), {"dataset", "generate", "--out", (shared / "recordings").string(), "--frames", "2", "--test-frames",
                    "0", "--sequence", "8", "--seed", "7", "--size", "96x72", "--moving-things", "2"});
      EXPECT_EQ(made.exit_code, 0) << made.err;
    }
    return train;
  }
  static Words evaluation(const fs::path& data, const Words& more = {}) {
    Words words = {"evaluate", "--model", model(), "--data", data, "--sequence", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Json json(const fs::path& data, Words more = {}) const {
    more.push_back("--json");
    const Outcome outcome = run(evaluation(data, more));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  static const Json& row(const Json& report, const std::string& name) {
    for (const Json& labels : report.at("labels"))
      if (labels.at("name") == name) return labels;
    throw std::out_of_range(name);
  }
  /// A copy of the first recording, for tests that change it.
  fs::path copied() const {
    const fs::path copy = folder_ / "recording";
    fs::copy(recordings() / "room0000", copy);
    fs::copy_file(recordings() / "dataset.toml", copy / "dataset.toml");
    return copy;
  }
  static void remove_all_named(const fs::path& folder, const std::string& ending) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename().string().ends_with(ending)) found.push_back(entry);
    for (const fs::path& path : found) fs::remove(path);
  }
};

TEST_F(EvaluateSequence, TellsOfEachWayOfLabelling) {
  const Outcome outcome = run(evaluation(recordings()));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* row : {"\nsingle ", "\nsteady ", "\nsteady, poses ", "\nmap "})
    EXPECT_NE(outcome.out.find(row), std::string::npos) << row;
}

TEST_F(EvaluateSequence, TheMapFlickersLessThanSingleFrames) {
  const Json report = json(recordings(), {"--every", "2"});
  EXPECT_EQ(report.at("frames"), 8);
  EXPECT_EQ(report.at("frames_compared"), 6);
  const Json &single = row(report, "single"), &map = row(report, "map");
  EXPECT_LT(map.at("flicker"), 0.9 * single.at("flicker").get<double>());
  EXPECT_EQ(map.at("frames").size(), 8u);
  EXPECT_GT(map.at("pixel_accuracy"), 0.3);
  EXPECT_GT(map.at("seconds"), single.at("seconds")) << "fusing belongs to it";
  EXPECT_EQ(map.at("shadow").size(), 10u);
}

/// The labels written by `fernwood map` become the ground truth: the map is then right everywhere, single frames are
/// not.
TEST_F(EvaluateSequence, TheMapIsThatOfFernwoodMap) {
  const fs::path recording = copied();
  const Outcome mapped = run({"map", "--model", model(), "--source", "frames:" + recording.string(), "--every", "2",
                              "--frames-out", out("labels"), "--device", "cpu"});
  ASSERT_EQ(mapped.exit_code, 0) << mapped.err;
  remove_all_named(recording, "_ground_truth.png");
  for (const auto& entry : fs::directory_iterator(out("labels"))) {
    const std::string name = entry.path().filename().string();
    fs::copy_file(entry, recording / (name.substr(0, name.rfind("_labels.png")) + "_ground_truth.png"));
  }
  const Json report = json(recording, {"--every", "2"});
  EXPECT_EQ(report.at("frames_with_truth"), 4);
  EXPECT_EQ(row(report, "map").at("pixel_accuracy"), 1.0);
  EXPECT_LT(row(report, "single").at("pixel_accuracy"), 1.0);
}

TEST_F(EvaluateSequence, WithoutTruthOnlyFlickerIsKnown) {
  const fs::path recording = copied();
  remove_all_named(recording, "_ground_truth.png");
  const Json report = json(recording);
  EXPECT_EQ(report.at("frames_with_truth"), 0);
  for (const Json& labels : report.at("labels")) {
    EXPECT_TRUE(labels.at("flicker").is_number()) << labels.at("name");
    EXPECT_TRUE(labels.at("pixel_accuracy").is_null()) << labels.at("name");
    EXPECT_TRUE(labels.at("lag").at("mean").is_null()) << labels.at("name");
  }
}

TEST_F(EvaluateSequence, ThreadsChangeNoLabel) {
  Json reports[] = {json(recordings(), {"--threads", "1"}), json(recordings(), {"--threads", "3"})};
  for (Json& report : reports)
    for (Json& labels : report.at("labels")) labels.erase("seconds");
  EXPECT_EQ(reports[0].at("labels"), reports[1].at("labels"));
}

TEST_F(EvaluateSequence, RefusesWhatIsNoRecordingAndOptionsThatCannotBe) {
  const fs::path recording = copied();
  expect_refused(evaluation(recording, {"--every", "8"}), kData);
  fs::remove(recording / "poses.txt");
  expect_refused(evaluation(recording), kData);
  expect_each_refused({evaluation(recordings(), {"--every", "0"}), evaluation(recordings(), {"--max-frames", "4"}),
                       evaluation(recordings(), {"--html", out("page.html")})});
}

TEST_F(EvaluateSequence, PredictLabelsARecordingSteadilyByItsPoses) {
  const fs::path recording = copied();
  const auto predict_to = [&](const char* name) {
    const Outcome outcome = run({"predict", "--model", model(), "--data", recording, "--out", out(name), "--steady",
                                 "--npy", "--device", "cpu"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  };
  predict_to("posed");
  const forest::Forest forest = forest::load_forest(model());
  const auto predictor = predict::make_predictor(forest, {.device = "cpu", .steady = true});
  dataset::DatasetOptions options;
  options.needs_truth = false;
  const dataset::Dataset frames = dataset::Dataset::open(recording, options);
  const auto poses = dataset::find_poses(frames, "room");
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const image::Frame frame = frames.read_frame(i);
    image::FrameImages images(frame);
    images.pose = poses[i].value().pose;
    dataset::write_npy(out("expected.npy"), predictor->predict(images).labels);
    EXPECT_EQ(text_of(out("posed/" + frames.files(i).name + "_labels.npy")), text_of(out("expected.npy"))) << i;
  }
  std::ofstream(recording / "poses.txt", std::ios::app) << "ghost 0 0 0 0 0 0 1\n";
  for (const Words& words : {Words{"predict", "--out", out("more")}, Words{"evaluate"}}) {
    Words steady = words;
    steady.insert(steady.end(), {"--model", model(), "--data", recording, "--steady", "--device", "cpu"});
    testdata::expect_sentence(run(steady).err);
  }
  fs::remove(recording / "poses.txt");
  predict_to("unposed");
  const std::string last = frames.files(frames.size() - 1).name + "_labels.npy";
  EXPECT_NE(text_of(out("posed/" + last)), text_of(out("unposed/" + last)));
}

}  // namespace
}  // namespace fernwood::apps
