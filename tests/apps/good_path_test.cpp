// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <cstring>
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "backbone/small_network.h"
#include "dataset/test_files.h"
#include "fernwood/core/device.h"
#include "fernwood/dataset/dataset.h"
#include "fernwood/generate/generate.h"

namespace fernwood::apps {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kNumClasses = 9;  // of the generated scenes

class GoodPath : public CommandLine {
 protected:
  /// Standard output of a command that must succeed; progress and warnings go to standard error.
  std::string printed(const Words& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, IsEmpty());
    for (const std::string& text : {outcome.out, outcome.err}) EXPECT_EQ(text.find('\033'), std::string::npos) << text;
    return outcome.out;
  }
  /// Parses standard output, which must be nothing but JSON.
  Json json(const Words& arguments) const { return Json::parse(printed(arguments)); }

  /// The data after the header (type and shape) of a .npy file.
  template <typename T>
  static std::vector<T> numbers_of(const fs::path& file, const std::string& type, const std::string& shape) {
    const std::string text = text_of(file), header = text.substr(0, 128);
    EXPECT_NE(header.find("{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + ", }"), text.npos);
    std::vector<T> numbers((text.size() - header.size()) / sizeof(T));
    std::memcpy(numbers.data(), text.data() + header.size(), numbers.size() * sizeof(T));
    return numbers;
  }

  std::string checksum_of_training(const Words& more) const {
    printed(small_training(rooms() / "train", out("model"), more));
    return json({"describe", out("model"), "--json"}).at("checksum");
  }
};

TEST_F(GoodPath, TrainingWritesModelAndReportAndNothingElse) {
  EXPECT_THAT(printed(small_training(rooms(), out("model"))),
              HasSubstr("next    fernwood evaluate --model " + out("model").string()));
  EXPECT_EQ(written(), (std::set<std::string>{"model", "model.report.json"}));
  const Json report = Json::parse(text_of(out("model.report.json")));
  EXPECT_EQ(report.at("frames"), 4);
  EXPECT_EQ(report.at("device"), to_string(choose_device("auto").device));
  EXPECT_EQ(text_of(out("model")), text_of(model())) << "a folder with train/ in it means that";
}

TEST_F(GoodPath, TrainingPrintsItsReportAsJson) {
  const Json report = json(small_training(rooms(), out("model"), {"--json"}));
  EXPECT_EQ(report, Json::parse(text_of(out("model.report.json"))));
}

TEST_F(GoodPath, TrainingOnSomeFramesTellsAccuracyOnTheOthers) {
  printed(small_training(rooms(), out("model"), {"--frames-per-tree", "3"}));
  const Json after_trees = Json::parse(text_of(out("model.report.json"))).at("out_of_bag");
  ASSERT_EQ(after_trees.size(), 1u);
  EXPECT_EQ(after_trees[0].at("pixels"), 200);
  EXPECT_GT(after_trees[0].at("pixel_accuracy"), 0.0);
}

TEST_F(GoodPath, TrainingReadsTheDefaultBackboneWhereThereIsColour) {
  const fs::path backbones = folder_ / "backbones";
  fs::create_directory(backbones);
  fs::rename(backbone::write_backbone(1, backbones), backbones / "lite0.backbone");
  ::setenv("FERNWOOD_BACKBONES", backbones.c_str(), 1);
  const auto backbone_of = [&](const fs::path& data, const Words& more) {
    Words words = {"train", "--data", data, "--out", out("model"), "--preset", "fast", "--trees", "1"};
    words.insert(words.end(), more.begin(), more.end());
    printed(words);
    return json({"describe", out("model"), "--json"}).at("backbone");
  };
  const fs::path data = copy_of_rooms();
  for (const Words& more : {Words{}, Words{"--backbone", "lite0"}})
    EXPECT_EQ(backbone_of(data, more).at("name"), "small") << "the name in the file";
  EXPECT_EQ(backbone_of(data, {"--backbone-reduction", "1"}).at("reduction"), 1);
  EXPECT_EQ(backbone_of(data, {"--backbone", "none"}), Json());
  for (int i = 0; i < 4; ++i) fs::remove(data / ("scene000" + std::to_string(i) + "_colors.png"));
  EXPECT_EQ(backbone_of(data, {}), Json());
  ::unsetenv("FERNWOOD_BACKBONES");
}

TEST_F(GoodPath, TrainingStopsWhenFlat) {
  printed({"train", "--data", rooms(), "--out", out("model"), "--algorithm", "forest", "--trees", "200", "--features",
           "10", "--max-depth", "2", "--frames-per-tree", "3", "--early-stopping-rounds", "2", "--backbone", "none"});
  const Json report = Json::parse(text_of(out("model.report.json")));
  const std::size_t num_trees = report.at("trees").size();
  EXPECT_LT(num_trees, 200u);
  EXPECT_EQ(report.at("out_of_bag").size(), num_trees);
  EXPECT_EQ(report.at("options").at("early_stopping_rounds"), 2);
}

TEST_F(GoodPath, OptimizedLabelsGoThroughAllCommands) {
  printed(small_training(rooms() / "train", out("model"), {"--optimize", "iou"}));
  EXPECT_EQ(written(), (std::set<std::string>{"model", "model.report.json"}));
  const Json optimized = Json::parse(text_of(out("model.report.json"))).at("optimized");
  EXPECT_EQ(optimized.at("goal"), "iou");
  EXPECT_EQ(optimized.at("frames_left_out"), 1);
  const Json summary = json({"describe", out("model"), "--json"});
  EXPECT_EQ(summary.at("label_weights"), optimized.at("plain").at("weights"));
  EXPECT_EQ(summary.at("label_weights_smoothed"), optimized.at("smoothed").at("weights"));
  EXPECT_EQ(summary.at("options").at("optimize"), "iou");
  json({"evaluate", "--model", out("model"), "--data", rooms() / "test", "--smooth", "40", "--json"});
  EXPECT_EQ(json({"verify", "--model", out("model"), "--data", rooms() / "test", "--json"}).at("identical"), true);
}

TEST_F(GoodPath, StagesAndGeometryGoThroughAllCommands) {
  printed(small_training(rooms() / "train", out("model"),
                         {"--cascade", "2", "--folds", "2", "--channels", "lab,depth,height,upright,facing"}));
  const Json summary = Json::parse(printed({"describe", out("model"), "--json"}));
  EXPECT_EQ(summary.at("channels"), (Json{"lab", "depth", "height", "upright", "facing"}));
  EXPECT_EQ(summary.at("context_stages").size(), 1u);
  printed({"predict", "--model", out("model"), "--data", rooms() / "test", "--out", out("labels")});
  const Json report = Json::parse(printed({"evaluate", "--model", out("model"), "--data", rooms() / "test", "--json"}));
  EXPECT_GT(report.at("pixel_accuracy"), 0.2);
  printed({"importance", "--model", out("model"), "--data", rooms() / "test"});
}

TEST_F(GoodPath, DescribeTellsTreesClassesOptionsAndChecksum) {
  const std::string text = printed({"describe", model()});
  const Json summary = json({"describe", "--model", model(), "--json"});
  EXPECT_EQ(summary.at("classes").size(), kNumClasses);
  EXPECT_EQ(summary.at("trees").size(), 1u);
  EXPECT_EQ(summary.at("channels"), (Json{"lab", "depth"}));
  EXPECT_EQ(summary.at("options").at("features"), 40);
  EXPECT_NE(text.find(summary.at("checksum").get<std::string>()), std::string::npos) << text;
}

TEST_F(GoodPath, EvaluateComparesObjectsWithInstances) {
  const auto panoptic = [&](const Words& more) {
    Words words = {"evaluate", "--model", model(), "--data", rooms(), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json(words).at("panoptic");
  };
  const Json all = panoptic({});
  EXPECT_EQ(all.at("frames"), 2);
  EXPECT_EQ(all.at("classes").size(), kNumClasses);
  const Json chairs = panoptic({"--things", "chair", "--min-object-area", "0"});
  EXPECT_LT(chairs.at("things").at("true"), all.at("things").at("true"));
  EXPECT_TRUE(panoptic({"--no-objects"}).is_null());
}

TEST_F(GoodPath, EvaluatePrintsNumbersThatAddUp) {
  const Json report = json({"evaluate", "--model", model(), "--data", rooms(), "--json"});
  EXPECT_EQ(report.at("frames"), 2) << "a folder with test/ in it means that";
  const Json& confusion = report.at("confusion");
  ASSERT_EQ(confusion.size(), kNumClasses);
  std::uint64_t right = 0, all = 0;
  for (std::size_t i = 0; i < kNumClasses; ++i) {
    ASSERT_EQ(confusion[i].size(), kNumClasses);
    right += confusion[i][i].get<std::uint64_t>();
    for (const Json& count : confusion[i]) all += count.get<std::uint64_t>();
  }
  EXPECT_EQ(all,
            report.at("labelled_pixels").get<std::uint64_t>() - report.at("void_predictions").get<std::uint64_t>());
  EXPECT_DOUBLE_EQ(report.at("pixel_accuracy"),
                   static_cast<double>(right) / report.at("labelled_pixels").get<double>());
  EXPECT_GT(report.at("class_accuracy"), 0.0);
}

TEST_F(GoodPath, PredictWritesLabelsOverlaysAndProbabilities) {
  printed(
      {"predict", "--model", model(), "--data", rooms(), "--out", out(""), "--overlay", "--panel", "--probabilities"});
  std::set<std::string> expected;
  for (const std::string frame : {"scene0004", "scene0005"}) {
    for (const std::string kind : {"labels", "overlay", "panel"}) expected.insert(frame + "_" + kind + ".png");
    for (const std::string name : {"floor", "wall", "table", "chair", "shelf", "sofa", "box", "ball", "bottle"})
      expected.insert(frame + "_probability_" + name + ".png");
  }
  EXPECT_EQ(written(), expected);
  EXPECT_EQ(dataset::read_truth(out("scene0004_labels.png")).rows(), 48u);
}

TEST_F(GoodPath, PredictWritesObjectsAndTheirMeasures) {
  const std::string told =
      printed({"predict", "--model", model(), "--data", rooms(), "--out", out("labels"), "--things", "chair,table",
               "--objects", "--min-object-area", "0", "--measures", out("m.csv")});
  EXPECT_THAT(told, testing::StartsWith("scene0004: "));
  const Json found = Json::parse(text_of(out("labels/scene0004_objects.json")));
  const image::InstanceImage numbers = dataset::read_instances(out("labels/scene0004_objects.png"));
  ASSERT_EQ(numbers.rows(), 48u);
  for (const Json& object : found.at("objects")) {
    EXPECT_EQ(std::ranges::count(numbers, object.at("number").get<int>()), object.at("pixels"));
    EXPECT_THAT((std::vector<std::string>{"chair", "table"}), testing::Contains(object.at("class")));
  }
  EXPECT_THAT(text_of(out("m.csv")), testing::StartsWith("frame,class,count,pixels,area_m2,volume_m3,"));
  EXPECT_THAT(text_of(out("m.csv")), HasSubstr("\nscene0005,floor,0,"));

  const fs::path frame = rooms() / "test/scene0005";
  printed({"predict", "--model", model(), "--color", frame.string() + "_colors.png", "--depth",
           frame.string() + "_depth.png", "--out", out("one"), "--objects"});
  EXPECT_TRUE(fs::exists(out("one/scene0005_objects.json")));
}

TEST_F(GoodPath, ObjectsOfAModelGoOutAsInstances) {
  const fs::path data = rooms() / "test";
  const Words of_objects = {"--model", model(), "--things", "chair,table", "--min-object-area", "0", "--objects"};
  Words words = {"dataset", "export", "--data", data, "--format", "coco", "--out", out("coco.json")};
  words.insert(words.end(), of_objects.begin(), of_objects.end());
  printed(words);
  words = {"predict", "--data", data, "--out", out("labels")};
  words.insert(words.end(), of_objects.begin(), of_objects.end());
  printed(words);

  const Json coco = Json::parse(text_of(out("coco.json")));
  std::vector<std::size_t> areas, expected;
  for (const Json& region : coco.at("annotations"))
    for (const Json& category : coco.at("categories"))
      if (category.at("id") == region.at("category_id") &&
          (category.at("name") == "chair" || category.at("name") == "table"))
        areas.push_back(region.at("area"));
  for (const std::string name : {"scene0004", "scene0005"}) {
    const Json objects = Json::parse(text_of(out("labels") / (name + "_objects.json")));
    for (const Json& object : objects.at("objects")) expected.push_back(object.at("pixels"));
  }
  EXPECT_THAT(areas, testing::UnorderedElementsAreArray(expected));
}

TEST_F(GoodPath, PredictWritesArraysThatNumPyLoads) {
  printed({"predict", "--model", model(), "--data", rooms(), "--out", out("plain"), "--npy"});
  EXPECT_TRUE(fs::exists(out("plain/scene0005_labels.npy")));
  EXPECT_FALSE(fs::exists(out("plain/scene0005_probabilities.npy"))) << "nobody asked for them";

  printed({"predict", "--model", model(), "--data", rooms(), "--out", out("all"), "--npy", "--probabilities"});
  const auto labels = numbers_of<std::uint16_t>(out("all/scene0004_labels.npy"), "'<u2'", "(48, 64)");
  const auto shares = numbers_of<float>(out("all/scene0004_probabilities.npy"), "'<f4'", "(48, 64, 9)");
  const Array2<image::Rgb> picture = dataset::read_truth(out("all/scene0004_labels.png"));
  ASSERT_EQ(labels.size(), picture.size());
  ASSERT_EQ(shares.size(), kNumClasses * picture.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ASSERT_LT(labels[i], kNumClasses);
    EXPECT_EQ(picture.data()[i], generate::synthetic_classes().classes[labels[i]].color);
    const float* const of_pixel = shares.data() + kNumClasses * i;
    EXPECT_EQ(of_pixel[labels[i]], *std::max_element(of_pixel, of_pixel + kNumClasses));
  }
}

TEST_F(GoodPath, LabelsOfModelsWithOtherClassesDoNotMix) {
  const fs::path data = copy_of_rooms(), other = folder_ / "other";
  fs::remove(data / "dataset.toml");  // classes are then in the order of their colours
  printed(small_training(data, other));
  for (int i = 0; i < 2; ++i) printed({"predict", "--model", model(), "--data", rooms(), "--out", out("labels")});
  const fs::path frame = rooms() / "test/scene0004";
  for (const Words& words :
       {Words{"predict", "--data", rooms(), "--out"},
        Words{"predict", "--color", frame.string() + "_colors.png", "--depth", frame.string() + "_depth.png", "--out"},
        Words{"map", "--source", "frames:" + rooms().string(), "--frames-out"}}) {
    Words mixed = words;
    mixed.insert(mixed.end(), {out("labels"), "--model", other});
    const Outcome outcome = run(mixed);
    EXPECT_EQ(outcome.exit_code, kUsage) << outcome.err;
    testdata::expect_sentence(outcome.err);
  }
}

TEST_F(GoodPath, PredictLabelsOneFrameAsItDoesInAFolder) {
  const fs::path test = rooms() / "test";
  printed({"predict", "--model", model(), "--data", test, "--out", out("all")});
  printed({"predict", "--model", model(), "--color", test / "scene0004_colors.png", "--depth",
           test / "scene0004_depth.png", "--out", out("one")});
  EXPECT_EQ(text_of(out("one/scene0004_labels.png")), text_of(out("all/scene0004_labels.png")));
}

TEST_F(GoodPath, ClassesMayHaveNamesThatFilesMayNotAndNoTwoShareAFile) {
  const fs::path data = copy_of_rooms();
  std::string config = text_of(data / "dataset.toml");
  for (const auto& [name, other] : {std::pair<std::string, std::string>{"\"floor\"", "\"a/b\""},
                                    {"\"wall\"", "\"a_b\""},
                                    {"\"table\"", "\"../c\""}})
    config.replace(config.find(name), name.size(), other);
  std::ofstream(data / "dataset.toml") << config;
  printed(small_training(data, folder_ / "model"));
  printed({"predict", "--model", folder_ / "model", "--data", data, "--out", out(""), "--probabilities"});
  for (const std::string name : {"a_b", "a_b_2", ".._c"})
    EXPECT_TRUE(written().contains("scene0000_probability_" + name + ".png")) << name;
}

TEST_F(GoodPath, CheckPrintsATableOrJsonAndWritesAPage) {
  printed({"dataset", "check", "--data", rooms(), "--html", out("check.html")});
  EXPECT_TRUE(fs::exists(out("check.html")));
  EXPECT_EQ(json({"dataset", "check", "--data", rooms(), "--json"}).at("classes").size(), kNumClasses);
}

TEST_F(GoodPath, EveryCommandHasHelpWithAnExample) {
  for (const std::string command : {"", "train", "predict", "evaluate", "describe", "explain", "importance", "study",
                                    "dataset", "dataset generate", "dataset check", "dataset import nyu", "bench",
                                    "bench train", "bench predict", "verify", "doctor", "completion"}) {
    std::istringstream parts(command + " --help");
    const Words words(std::istream_iterator<std::string>(parts), {});
    EXPECT_NE(printed(words).find("Example:\n  fernwood "), std::string::npos) << command;
  }
}

TEST_F(GoodPath, ConfigFileSetsOptionsAndTheCommandLineWins) {
  const std::string file = folder_.write("fernwood.toml",
                                         "[train]\ntrees = 2\nmax-depth = 3\nsamples-per-frame = 60\nfeatures = 10\n"
                                         "memory-budget = \"64MB\"\nbackbone = \"none\"\nchannels = [\"lab\", "
                                         "\"depth\"]\nsampling = \"classes\"\nmirror-augmentation = true\n"
                                         "ignored-colors = [\"#010203\", \"4,5,6\"]\n[evaluate]\nmodel = \"unused\"\n");
  printed({"--config", file, "train", "--data", rooms(), "--out", out("model"), "--max-depth", "2"});
  const Json summary = json({"describe", out("model"), "--json"});
  const Json& options = summary.at("options");
  EXPECT_EQ(summary.at("trees").size(), 2u);
  EXPECT_EQ(options.at("samples_per_frame"), 60);
  EXPECT_EQ(options.at("sampling"), "classes");
  EXPECT_EQ(options.at("mirror_augmentation"), true);
  EXPECT_EQ(summary.at("channels"), (Json{"lab", "depth"}));
  EXPECT_EQ(options.at("max_depth"), 2) << "3 in the file, 2 on the command line";
}

TEST_F(GoodPath, OptionsBeginWithPresetOrKindAndChangeThemWhereverTheyStand) {
  const auto options = [&](const Words& before, const Words& more) {
    Words words = before;
    const Words train = {"train", "--data", rooms(), "--out", out("model"), "--features", "4", "--backbone", "none"};
    words.insert(words.end(), train.begin(), train.end());
    words.insert(words.end(), more.begin(), more.end());
    printed(words);
    return json({"describe", out("model"), "--json"}).at("options");
  };
  const std::string file = folder_.write("trees.toml", "[train]\ntrees = 2\nmax-depth = 3\n");
  for (const Words& preset : {Words{"--algorithm", "forest"}, Words{"--preset", "forest"}}) {
    const Json read = options({"--config", file}, preset);
    EXPECT_EQ(read.at("algorithm"), "forest");
    EXPECT_EQ(read.at("trees"), 2);
    EXPECT_EQ(read.at("max_depth"), 3);
    EXPECT_EQ(read.at("min_samples"), 200);
    EXPECT_EQ(read.at("features"), 4);
  }
  const Json thesis = options({}, {"--trees", "1", "--preset", "thesis", "--max-depth", "2"});
  EXPECT_EQ(thesis.at("trees"), 1);
  EXPECT_EQ(thesis.at("max_depth"), 2);
  EXPECT_EQ(thesis.at("sampling"), "pixels");
}

TEST_F(GoodPath, OneSeedIsOneModelOnAnyThreadsAndInAnyMemory) {
  const std::string checksum = json({"describe", model(), "--json"}).at("checksum");
  EXPECT_EQ(checksum_of_training({"--threads", "1"}), checksum);
  EXPECT_EQ(checksum_of_training({"--threads", "2"}), checksum);
  EXPECT_EQ(checksum_of_training({"--memory-budget", "1MiB"}), checksum);
  EXPECT_NE(checksum_of_training({"--seed", "4712"}), checksum);
}

TEST_F(GoodPath, OneSamplePerFrameAndUnknownDepthMakeSmallTrees) {
  printed({"train", "--data", rooms(), "--out", out("model"), "--trees", "1", "--samples-per-frame", "1", "--features",
           "10", "--backbone", "none"});
  const fs::path data = copy_of_rooms();
  for (int i = 0; i < 4; ++i)
    dataset::write_png16(data / ("scene000" + std::to_string(i) + "_depth.png"), Array2<std::uint16_t>(48, 64, 0));
  const Outcome blind = run(small_training(data, out("blind")));
  EXPECT_EQ(blind.exit_code, 0) << blind.err;
  testdata::expect_sentence(blind.err);
  // Without depth every region is unknown, so every response is NaN and no split is useful: the root stays a leaf.
  EXPECT_EQ(json({"describe", out("blind"), "--json"}).at("trees").at(0).at("nodes"), 1);
  const Outcome evaluated = run({"evaluate", "--model", out("blind"), "--data", data, "--json"});
  EXPECT_GT(nlohmann::json::parse(evaluated.out).at("pixel_accuracy"), 0.0);
}

}  // namespace
}  // namespace fernwood::apps
