// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sys/stat.h>

#include "apps/command_line.h"

namespace fernwood::apps {
namespace {

class BadUsage : public CommandLine {
 protected:
  void expect_option_refused(const Words& options, const std::string& sentence, int exit_code = kUsage) const {
    Words words = {"train", "--data", rooms(), "--out", out("model")};
    words.insert(words.end(), options.begin(), options.end());
    expect_refused(words, exit_code, {sentence});
  }
};

TEST_F(BadUsage, NamesTheCommandsThatThereAre) {
  expect_refused({"--config", "/dev/null"}, kUsage,
                 {"fernwood lacks a command: train, predict, evaluate, describe, explain, importance, study, search, "
                  "dataset, backbone, "
                  "verify, bench, doctor, live, map, teach, completion, help; see fernwood --help"});
  expect_refused({"dataset"}, kUsage, {"fernwood dataset lacks a command: generate, check, import"});
  expect_refused({"trian", "--data", rooms()}, kUsage,
                 {"has no command \"trian\" (did you mean train?); there are train, predict"});
  expect_refused({"dataset", "chck"}, kUsage, {"fernwood dataset has no command \"chck\" (did you mean check?)"});
}

TEST_F(BadUsage, NamesTheOptionThatWasMeant) {
  expect_refused({"train", "--dta", rooms(), "--out", out("model")}, kUsage,
                 {"fernwood train has no option --dta (did you mean --data?); see fernwood train --help"});
  expect_refused({"describe", model(), "--jsn=1"}, kUsage,
                 {"fernwood describe has no option --jsn (did you mean --json?)"});
  expect_option_refused({"--colour"}, "fernwood train has no option --colour; see");
  expect_option_refused({"-x"}, "fernwood train has no option -x; see");
}

TEST_F(BadUsage, WordsNeedTheirPlace) {
  expect_refused({"train", rooms(), "--out", out("model")}, kUsage,
                 {"fernwood train does not know what \"" + rooms().string() + "\" is for"});
  expect_option_refused({"extra"}, "does not know what \"extra\" is for; options begin with --");
  expect_refused({"--data", rooms(), "train", "--out", out("model")}, kUsage,
                 {"--data belongs to fernwood train; write it behind"});
}

TEST_F(BadUsage, FernsHaveLimits) {
  expect_option_refused({"--algorithm", "bushes"}, "--algorithm is \"bushes\"; give forest, ferns or boosted");
  expect_option_refused({"--algorithm", "ferns", "--max-depth", "26"},
                        "--max-depth is 26; ferns have at most 25 levels");
}

TEST_F(BadUsage, OptionsThatWouldChangeNothingAreRefused) {
  const fs::path file = rooms().parent_path() / "options.toml";
  std::ofstream(file) << "[evaluate]\npictures = 2\n";
  const Words live = {"live", "--model", model(), "--source", rooms()};
  const Words headless = {"live", "--model", model(), "--source", rooms(), "--headless"};
  const Words train = {"train", "--data", rooms(), "--out", out("model")};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words map = {"map", "--model", model(), "--source", rooms()};
  struct Case {
    Words before, dependent;
    std::string partners;
  };
  const std::vector<Case> cases = {
      {{"--config", file, "evaluate", "--model", model(), "--data", rooms()},
       {},
       "--pictures has no effect without --html"},
      {{"evaluate", "--model", model(), "--data", rooms()}, {"--pictures", "2"}, "--html"},
      {{"evaluate", "--model", model(), "--data", rooms()}, {"--every", "2"}, "--sequence"},
      {{"train", "--data", rooms(), "--out", out("model")}, {"--backbone-reduction", "1"}, "--backbone"},
      {{"search", "--data", rooms(), "--out", out("search")}, {"--backbone-reduction", "1"}, "--backbone"},
      {{"dataset", "export", "--data", rooms(), "--format", "coco", "--out", out("c")},
       {"--layout", "auto"},
       "--model"},
      {{"teach", "--source", rooms(), "--out", out("project")}, {"--max-frames", "2"}, "--data"},
      {{"teach", "--data", rooms(), "--out", out("project")}, {"--background", "wall"}, "--import"},
      {live, {"--port", "80"}, "--serve"},
      {live, {"--frame-id", "head"}, "--publish"},
      {live, {"--memory-budget", "1 GiB"}, "--map, --map-out or --map-file; give one of them"},
      {with(live, {"--map-file", out("live.map")}), {"--min-weight", "2"}, "--map or --map-out; give one of them"},
      {with(map, {"--map-file", out("mapped")}), {"--render-cell", "0.05"}, "--frames-out; give that, too"},
      {with(map, {"--out", out("mapped")}), {"--render-cell", "0.05"}, "--frames-out; give that, too"},
      {with(map, {"--map-file", out("mapped")}), {"--min-weight", "2"}, "--out, --mesh or --page; give one of them"},
      {headless, {"--save", out("saved")}, "--initial-keys; give that, too, or leave --save out"},
      {headless, {"--at", "3,4"}, "--initial-keys"},
      {train, {"--folds", "5"}, "--cascade"},
      {train, {"--score", "information-gain"}, "--algorithm forest or --algorithm ferns; give one of them, too"},
      {{"train", "--data", rooms(), "--out", out("model"), "--preset", "forest"},
       {"--learning-rate", "0.1"},
       "--algorithm boosted"},
      {{"bench", "train", "--data", rooms()}, {"--folds", "5"}, "--cascade"},
      {{"study", "--data", rooms(), "--test", rooms()}, {"--score", "information-gain"}, "--algorithm forest"},
      {{"dataset", "generate", "--out", out("made")}, {"--fps", "5"}, "--sequence"},
      {{"backbone", "import", "a.pth", "--out", out("b")}, {"--max-frames", "5"}, "--data"}};
  for (const Case& one : cases) {
    Words words = one.before;
    words.insert(words.end(), one.dependent.begin(), one.dependent.end());
    expect_refused(words, kUsage,
                   {one.dependent.empty() ? "" : one.dependent[0] + " has no effect without ", one.partners});
  }
  EXPECT_FALSE(fs::exists(out("project")));
  expect_refused(with(live, {"--map-file", out("live.map"), "--render-cell", "0.05"}), kUsage, {"--render-cell"});
}

TEST_F(BadUsage, NumbersBelowZeroAreToldAsTheyWereWritten) {
  expect_refused({"dataset", "sample", "--data", rooms(), "--frames", "-1", "--out", out("some")}, kUsage,
                 {"--frames: -1 is negative; give 0 or more"});
  expect_refused({"teach", "--source", rooms(), "--every", "-1", "--out", out("project")}, kUsage,
                 {"--every: -1 is negative; give 0 or more"});
  expect_refused({"importance", "--model", model(), "--data", rooms(), "--seed", "-1"}, kUsage,
                 {"--seed: -1 is negative; give 0 or more"});
}

TEST_F(BadUsage, TellsWhatIsMissing) {
  expect_refused({"train", "--out", out("model")}, kUsage, {"--data is required"});
  expect_refused({"train", "--data", rooms()}, kUsage, {"--out is required"});
  expect_refused({"describe"}, kUsage, {"the model file is missing; write fernwood describe FILE"});
  expect_refused({"predict", "--model", model(), "--out", out("labels")}, kUsage,
                 {"give either --data with a folder of frames, or one frame"});
  expect_refused({"predict", "--model", model(), "--out", out("labels"), "--data", rooms(), "--color", "x.png"}, kUsage,
                 {"give either"});
  expect_option_refused({"--trees"}, "--trees lacks its value");
  expect_option_refused({"--trees", "1", "--trees", "2"}, "--trees is given more than once");
}

TEST_F(BadUsage, OptionsOutOfTheirRangeNameValueAndRange) {
  expect_option_refused({"--trees", "0"}, "--trees is 0; give a number from 1 to 10000");
  expect_option_refused({"--thresholds", "0"}, "--thresholds is 0; give a number from 1 to 255");
  expect_option_refused({"--thresholds", "256"}, "--thresholds is 256; give a number from 1 to 255");
  expect_option_refused({"--max-offset", "200"}, "--max-offset is 200; give a number from 1 to 127");
  expect_option_refused({"--max-half-extent", "0"}, "--max-half-extent is 0; give a number from 1 to 127");
  expect_option_refused({"--max-depth", "0"}, "--max-depth is 0");
  expect_option_refused({"--samples-per-frame", "0"}, "--samples-per-frame is 0");
  expect_option_refused({"--class-weights", "balancd"}, "--class-weights has \"balancd\"; did you mean balanced?");
  expect_refused({"predict", "--model", model(), "--data", rooms(), "--out", out("labels"), "--smooth", "-1"}, kUsage,
                 {"--smooth is -1; give a number from 0 to 1000"});
  expect_option_refused({"--unary-feature-fraction", "2"}, "--unary-feature-fraction is 2; give a number from 0 to 1");
  expect_option_refused({"--threads", "-1"}, "--threads is -1; give a number from 1 to 4096");
}

TEST_F(BadUsage, EarlyStoppingNeedsFramesThatTreesHaveNotSeen) {
  const auto expect_of_forests = [&](Words more, const std::string& sentence) {
    more.insert(more.begin(), {"--algorithm", "forest", "--early-stopping-rounds"});
    expect_option_refused(more, sentence);
  };
  expect_of_forests(
      {"3"},
      "--early-stopping-rounds judges trees by frames that they have not seen, but with --frames-per-tree 0 "
      "each sees all 4 frames; give --frames-per-tree 2, two thirds of them, or leave "
      "--early-stopping-rounds out");
  expect_of_forests({"3", "--frames-per-tree", "4"}, "with --frames-per-tree 4 each sees all");
  expect_of_forests({"3", "--max-frames", "1"}, "but there is one frame only");
  expect_of_forests({"-1"}, "--early-stopping-rounds is -1; give a number from 0 to 10000");
}

TEST_F(BadUsage, NumbersThatAreNoneOrWouldWrapAreRefused) {
  expect_option_refused({"--trees", "many"}, "--trees is \"many\"; give a whole number");
  expect_option_refused({"--trees", "1.5"}, "--trees is \"1.5\"; give a whole number");
  expect_option_refused({"--trees", "99999999999"}, "--trees is \"99999999999\"; give a smaller number");
  expect_option_refused({"--seed", "-1"}, "--seed is -1; give 0 or more");
  expect_option_refused({"--max-frames", "-1"}, "--max-frames is -1; give 0 or more");
}

TEST_F(BadUsage, ValuesWithNamesListThem) {
  expect_option_refused({"--score", "gain"},
                        "--score is \"gain\"; give information-gain or normalized-information-gain");
  expect_option_refused({"--channels", "lab,edges"},
                        "there are no channels \"edges\"; choose among lab, rgb, gradient, depth");
  expect_option_refused({"--channels", "lab,lab"}, "the channels \"lab\" are chosen twice");
  expect_option_refused({"--memory-budget", "lots"},
                        "--memory-budget is \"lots\"; write an amount of memory, for example 900MB or 4GiB");
  for (const std::string color : {"red", "1,2", "1,2,300", "#12"})
    expect_option_refused({"--ignored-colors", color},
                          "--ignored-colors is \"" + color + "\"; write a colour as red,green,blue from 0 to 255");
}

TEST_F(BadUsage, UnknownDeviceIsAUsageErrorAndAMissingOneADeviceError) {
  for (const auto& [device, code] : {std::pair<std::string, int>{"gpu", kUsage}, {"cuda:99", kDevice}}) {
    expect_option_refused({"--device", device}, device, code);
    expect_refused({"evaluate", "--model", model(), "--data", rooms(), "--device", device}, code, {device});
    expect_refused({"predict", "--model", model(), "--data", rooms(), "--out", out("labels"), "--device", device}, code,
                   {device});
    expect_refused({"bench", "predict", "--model", model(), "--data", rooms(), "--device", device}, code, {device});
  }
}

TEST_F(BadUsage, UnknownLayoutNamesThoseThereAre) {
  const Words how = {"--model", model(), "--data", rooms(), "--device", "cpu", "--layout", "fast"};
  for (const Words& command :
       {Words{"evaluate"}, Words{"predict", "--out", out("labels")}, Words{"bench", "predict"}}) {
    Words words = command;
    words.insert(words.end(), how.begin(), how.end());
    expect_refused(words, kUsage, {"cpu has no layout \"fast\"; give one of auto, baseline"});
  }
}

TEST_F(BadUsage, OptionsOfDataAndBenchmarksNameValueAndRange) {
  const std::string data = rooms(), in = out("scan"), there = out("there");
  const std::vector<std::pair<Words, std::string>> commands = {
      {{"dataset", "import", "record3d", in, "--out", there, "--min-confidence", "3"},
       "--min-confidence is 3; give a number from 0 to 2"},
      {{"dataset", "import", "coco", in, "--out", there, "--depth-scale", "0"},
       "--depth-scale is 0; give a number above 0, up to 1000000"},
      {{"teach", "--data", data, "--out", there, "--no-browser", "--import", "coco", "--depth-scale", "-1"},
       "--depth-scale is -1; give a number above 0"},
      {{"dataset", "import", "nyu", "--labeled", in, "--splits", in, "--out", there, "--classes", "37"},
       "--classes is \"37\"; give 4, 13 or 40"},
      {{"dataset", "split", "--data", data, "--out", there, "--test", "1"},
       "--test is 1; give a number from 0 to below 1"},
      {{"live", "--model", model(), "--source", data, "--headless", "--preload", "-1"},
       "--preload is -1; give 0 or more"},
      {{"verify", "--model", model(), "--data", data, "--max-frames", "few"}, "--max-frames is \"few\"; give a whole"},
      {{"bench", "predict", "--model", model(), "--data", data, "--repeat", "0"}, "--repeat is 0; give at least 1"},
      {{"bench", "predict", "--model", model(), "--data", data, "--seconds", "-1"},
       "--seconds is -1; give a number from 0 to 86400"},
      {{"bench", "align", "--repeat", "0"}, "--repeat is 0; give at least 1"},
      {{"bench", "align", "--depth-size", "0x48"}, "--depth-size is 0x48; give a width and a height from 1 to 16384"},
      {{"bench", "align", "--color-size", "64"}, "--color-size is \"64\"; write width x height"},
      {{"backbone", "bench", in, "--size", "-640x480"}, "--size is \"-640x480\"; write width x height"},
      {{"backbone", "import", in, "--out", there, "--normalization", "imagnet"},
       "--normalization is \"imagnet\" (did you mean imagenet?); give lite or imagenet"},
  };
  for (const auto& [words, sentence] : commands) expect_refused(words, kUsage, {sentence});
}

TEST_F(BadUsage, SizesAndCountsOfGeneratedDataAreChecked) {
  const auto refused = [&](const Words& options, const std::string& sentence) {
    Words words = {"dataset", "generate", "--out", out("new")};
    words.insert(words.end(), options.begin(), options.end());
    expect_refused(words, kUsage, {sentence});
  };
  refused({"--size", "64"}, "--size is \"64\"; write width x height, for example 640x480");
  refused({"--size", "0x48"}, "--size is 0x48; give a width and a height from 32 to 4096");
  refused({"--frames", "0"}, "--frames is 0; give a number from 1 to 100000");
  refused({"--holes", "1"}, "--holes is 1; give a number from 0 to 0.9");
  expect_refused({"dataset", "generate", "--out", rooms(), "--frames", "1", "--size", "64x48"}, kUsage,
                 {"would mix with it"});
}

// The data are missing, too, so the output must be checked first for the error to name it.
TEST_F(BadUsage, UnwritableOutputIsFoundBeforeTheDataAreRead) {
  std::ofstream(folder_ / "file") << "precious";
  const std::string no_data = folder_ / "nowhere", pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_refused({"train", "--data", no_data, "--out", folder_ / "missing" / "model"}, kRuntime,
                 {"missing/model: the folder ", "missing does not exist; create it or name another"});
  expect_refused({"train", "--data", no_data, "--out", out("")}, kRuntime, {"out/: is a folder; name a file in it"});
  expect_refused({"train", "--data", no_data, "--out", folder_ / "file" / "model"}, kRuntime,
                 {"file does not exist; create it"});
  expect_refused({"train", "--data", no_data, "--out", pipe}, kRuntime,
                 {"pipe: is a device, a pipe or a socket; name a regular file"});
  expect_refused({"train", "--data", no_data, "--out", ""}, kUsage, {"--out is empty; name a file or a folder"});
  expect_refused({"predict", "--model", model(), "--data", no_data, "--out", folder_ / "file"}, kRuntime,
                 {"file: is a file; name a folder"});
  expect_refused({"evaluate", "--model", model(), "--data", rooms(), "--html", out("page.html"), "--pictures", "-1"},
                 kUsage, {"--pictures is -1; give at least 0"});
  expect_refused({"evaluate", "--model", model(), "--data", no_data, "--html", folder_ / "missing" / "a.html"},
                 kRuntime, {"missing does not exist"});
  expect_refused({"dataset", "check", "--data", no_data, "--html", folder_.path()}, kRuntime,
                 {"is a folder; name a file in it"});
  EXPECT_EQ(text_of(folder_ / "file"), "precious");
}

TEST_F(BadUsage, AFlagIsTrueOrFalse) {
  for (const std::string name : {"--mirror-augmentation", "--no-mirror-augmentation", "--json", "--resume"})
    for (const std::string text : {"maybe", "nan", "0.5", "1.5", "2", "x", "99999999999999999999"})
      expect_option_refused({name + "=" + text}, name + " is \"" + text + "\"; give true or false");
  expect_option_refused({"--mirror-augmentation", "--no-mirror-augmentation"}, "contradict each other");
  expect_option_refused({"--no-such=3"}, "fernwood train has no option --no-such");
  expect_refused({"describe", "--", "--no-json=3"}, kRuntime, {"--no-json=3: cannot be read"});
}

TEST_F(BadUsage, AnEmptyPathIsNotAnOptionThatIsNotGiven) {
  const std::string source = "frames:" + rooms().string();
  for (const char* option : {"--record", "--map-out", "--map-file"})
    expect_refused({"live", "--headless", "--model", model(), "--source", source, option, ""}, kUsage,
                   {std::string(option) + " is empty; name a file or a folder"});
  expect_refused({"describe", ""}, kUsage, {"is empty; name a file or a folder"});
  const std::string file = folder_.write("empty.toml", "[live]\nrecord = \"\"\n");
  expect_refused({"--config", file, "live", "--headless", "--model", model(), "--source", source}, kUsage,
                 {"--record is empty"});
}

TEST_F(BadUsage, AnEmptyBackboneResetsThatOfAConfigFile) {
  const std::string file = folder_.write("backbone.toml", "[train]\nbackbone = \"missing.onnx\"\n");
  const Words train = {"--config", file, "train", "--data", rooms() / "train", "--out", out("model"), "--trees", "1"};
  expect_refused(train, kRuntime, {"missing.onnx"});
  Words reset = train;
  reset.insert(reset.end(), {"--backbone", "", "--max-depth", "2"});
  const Outcome outcome = run(reset);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(BadUsage, ConfigFilesAreHeldToTheSameRules) {
  const auto refused = [&](const std::string& text, const std::string& sentence) {
    const std::string file = folder_.write("fernwood.toml", text);
    expect_refused({"--config", file, "train", "--data", rooms(), "--out", out("model")}, kUsage, {sentence});
  };
  refused("[train]\ntres = 2\n", "the --config file has \"train.tres\", which is not an option; name it");
  refused("[trian]\ntrees = 2\n", "the --config file has \"trian.trees\"");
  refused("trees = 2\n", "the --config file has \"trees\"");
  refused("[train\ntrees = 2\n", "the --config file is not valid TOML in line 1");
  refused("[train]\ntrees = \"many\"\n", "--trees is \"many\"; give a whole number");
  refused("[train]\ntrees = 0\n", "--trees is 0; give a number from 1 to 10000");
  refused("[train]\ntrees = {}\n", "--trees is \"{}\"; give a whole number");
  for (const char* name : {"mirror-augmentation", "no-mirror-augmentation", "json", "resume"}) {
    const std::string set = std::string("[train]\n") + name + " = ";
    const std::string is = std::string("--") + name + " is ";
    for (const char* number : {"0.0", "1.5", "2", "nan", "{}"})
      refused(set + number, is + "\"" + number + "\"; give true or false");
    for (const char* text : {"", "maybe", "true ", "x", "99999999999999999999"})
      refused(set + "\"" + text + "\"", is + "\"" + text + "\"; give true or false");
    refused(set + "[]", is + "\"\"; give true or false");
    refused(set + "[true, false]", is + "\"true,false\"; give true or false");
  }
  expect_refused({"--config", folder_ / "nowhere", "train", "--data", rooms(), "--out", out("model")}, kRuntime,
                 {"nowhere", "cannot be read: No such file"});
}

}  // namespace
}  // namespace fernwood::apps
