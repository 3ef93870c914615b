// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "apps/command_line.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

class Teach : public CommandLine {
 protected:
  /// Runs until the program has printed how to end it, then sends the signal.
  Outcome taught(const Words& more, int signal = SIGINT, const std::string& name = "p") const {
    Words words = {"teach", "--device", "cpu", "--preset", "fast", "--no-browser"};
    if (!name.empty()) words.insert(words.end(), {"--out", out(name)});
    words.insert(words.end(), more.begin(), more.end());
    const fs::path log = folder_ / "log";
    fs::remove_all(log);  // the previous output must not be mistaken for this run's
    fs::create_directories(log);
    RunningCommand running(log, words);
    EXPECT_TRUE(wait_for(
        [&] { return running.has_ended() || text_of(log / "stdout").find("Ctrl-C ends it") != std::string::npos; }));
    running.signal(signal);
    return running.wait();
  }
  static bool tells(const Outcome& outcome, const std::string& numbers) {
    return outcome.out.find(numbers) != std::string::npos;
  }
};

TEST_F(Teach, KeepsFramesAndMakesADataSetOfThem) {
  const Outcome first = taught({"--data", rooms() / "train"});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(tells(first, "4 frames, 0 strokes"));
  EXPECT_TRUE(fs::exists(out("p") / "scene0000_ground_truth.png"));
  const Outcome again = taught({"--data", rooms() / "train"});
  EXPECT_TRUE(tells(again, "4 frames, 0 strokes")) << "those that it has are not kept twice";
  const auto address = [](const Outcome& outcome) { return outcome.out.substr(0, outcome.out.find('\n')); };
  EXPECT_EQ(address(again), address(first)) << "so that a page that is open goes on";
  EXPECT_EQ(fs::status(page_file(".txt")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Teach, FramesOfARecordingAreAddedOnce) {
  fs::copy(rooms() / "train", folder_ / "frames");
  const Words words = {"--source", "frames:" + (folder_ / "frames").string(), "--every", "2"};
  EXPECT_TRUE(tells(taught(words), "2 frames, 0 strokes"));
  const std::string journal = text_of(out("p") / "strokes.journal");
  const Outcome again = taught(words);
  testdata::expect_sentence(again.err);
  EXPECT_EQ(text_of(out("p") / "strokes.journal"), journal);
  fs::copy_file(folder_ / "frames/scene0001_colors.png", folder_ / "frames/scene0000_colors.png",
                fs::copy_options::overwrite_existing);
  EXPECT_TRUE(tells(taught(words), "3 frames, 0 strokes")) << "another frame of the same name";
  EXPECT_TRUE(fs::exists(out("p") / "scene0000_2_colors.png"));
  EXPECT_TRUE(tells(taught(words), "3 frames, 0 strokes"));
}

TEST_F(Teach, TakesFoldersAndFramesOfAnyNameThatTrainTakes) {
  for (const char* name : {"K\xc3\xbc"
                           "che",
                           "my room", "my_room"}) {
    fs::create_directories(folder_ / "data");
    fs::copy(rooms() / "train", folder_ / "data" / name);
    std::ofstream(folder_ / "data" / name / "times.txt") << "scene0000 0.0\nscene0001 0.1\n";
  }
  const Words words = {"--data", folder_ / "data"};
  EXPECT_TRUE(tells(taught(words), "6 frames, 0 strokes"));
  for (const char* frame : {"K\xc3\xbc"
                            "che_scene0000",
                            "my_room_scene0000", "my_room_scene0000_2"})
    EXPECT_TRUE(fs::exists(out("p") / (std::string(frame) + "_depth.png"))) << frame;
  EXPECT_TRUE(tells(taught(words), "6 frames, 0 strokes")) << "those that it has are not kept twice";
}

TEST_F(Teach, AProjectWithoutANameLiesBesideItsFrames) {
  fs::copy(rooms() / "train", folder_ / "frames");
  EXPECT_EQ(taught({"--data", (folder_ / "frames").string() + "/"}, SIGINT, "").exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "frames_taught" / "strokes.journal"));
}

TEST_F(Teach, BeginsWithWhatAnotherProgramLeft) {
  const Outcome exported =
      run({"dataset", "export", "--data", rooms() / "train", "--format", "coco", "--out", out("coco.json")});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const Outcome outcome = taught({"--data", out("coco.json"), "--import", "coco", "--images", rooms() / "train"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto counts = [](const Outcome& of) {
    const std::size_t at = of.out.find(" frames, ");
    return of.out.substr(at - 1, of.out.find(" in ", at) - at);
  };
  const Outcome native = taught({"--data", rooms() / "train", "--import-labels"}, SIGINT, "native");
  EXPECT_EQ(counts(outcome), counts(native)) << "a stroke of each class in each frame";
  EXPECT_EQ(text_of(out("p") / "scene0001_depth.png"), text_of(out("native") / "scene0001_depth.png"));
  EXPECT_TRUE(tells(taught({}), counts(outcome))) << "the annotations are not needed again";
}

TEST_F(Teach, WhatFramesLackIsAddedAtTheNextStart) {
  fs::copy(rooms() / "train", folder_ / "frames");
  const fs::path frames = folder_ / "frames";
  const Outcome whole = taught({"--data", frames, "--import-labels"}, SIGINT, "whole");
  EXPECT_TRUE(tells(taught({"--data", frames}), "4 frames, 0 strokes"));
  EXPECT_EQ(text_of(out("p") / "strokes.journal").find("pose"), std::string::npos);
  std::ofstream(frames / "poses.txt") << "scene0003 0 0 1 0 0 0 1\n";
  const Outcome completed = taught({"--data", frames, "--import-labels"});
  const auto strokes = [](const Outcome& of) { return of.out.substr(of.out.find("\nstrokes ")); };
  EXPECT_EQ(strokes(completed).substr(0, strokes(completed).find("next")),
            strokes(whole).substr(0, strokes(whole).find("next")));
  EXPECT_NE(text_of(out("p") / "strokes.journal").find("pose"), std::string::npos) << "a pose that was not known";
  const std::string journal = text_of(out("p") / "strokes.journal");
  taught({"--data", frames, "--import-labels"});
  EXPECT_EQ(text_of(out("p") / "strokes.journal"), journal) << "nothing is drawn twice";
}

TEST_F(Teach, PosesThatFitNoFrameAreRefusedBeforeAProjectIsMade) {
  fs::copy(rooms() / "train", folder_ / "frames");
  const fs::path given = folder_ / "given.txt";
  const Words words = {"teach", "--out", out("p"), "--data", folder_ / "frames", "--no-browser"};
  Words with_poses = words;
  with_poses.insert(with_poses.end(), {"--poses", given});
  std::ofstream(given) << "hall 0 0 1 0 0 0 1\n";
  expect_refused(with_poses, kData);
  EXPECT_FALSE(fs::exists(out("p")));
  std::ofstream(folder_ / "frames/poses.txt") << "hall 0 0 1 0 0 0 1\n";
  expect_refused(words, kData);
  EXPECT_FALSE(fs::exists(out("p")));
  fs::remove(folder_ / "frames/poses.txt");
  std::ofstream(given) << "scene0001 0 0 1 0 0 0 1\n";
  testdata::expect_sentence(taught({"--data", folder_ / "frames", "--poses", given}).err);
}

TEST_F(Teach, AnImportThatCannotBeIsRefused) {
  const Words teach = {"teach", "--out", out("p"), "--no-browser", "--import"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), teach.begin(), teach.end());
    return more;
  };
  expect_each_refused(
      {with({"coco"}), with({"cocoo", "--data", rooms()}), with({"tum", "--data", rooms(), "--images", "x"})});
  EXPECT_FALSE(fs::exists(out("p")));
}

TEST_F(Teach, FollowsNoLinkAndUsesNoTokenOfAForeignProject) {
  ASSERT_EQ(taught({"--data", rooms() / "train"}).exit_code, 0);
  const fs::path victim = folder_ / "victim";
  std::ofstream(victim) << "of value";
  for (const char* name : {"dataset.toml", "scene0000_ground_truth.png", "strokes.truth", "page.txt", "page.html"}) {
    fs::remove(out("p") / name);
    fs::create_symlink(victim, out("p") / name);
  }
  fs::remove_all(folder_ / "state");
  EXPECT_EQ(taught({}).exit_code, 0);
  EXPECT_EQ(text_of(victim), "of value");
  EXPECT_FALSE(fs::is_symlink(out("p") / "dataset.toml"));
  fs::remove(out("p") / "strokes.journal");
  ::mkfifo((out("p") / "strokes.journal").c_str(), 0600);
  const Outcome piped = taught({});
  EXPECT_EQ(piped.exit_code, kData);
  testdata::expect_sentence(piped.err);
}

TEST_F(Teach, ItsTokenIsKeptWhereNobodyElseHasASay) {
  const auto address = [](const Outcome& outcome) { return outcome.out.substr(0, outcome.out.find('\n')); };
  const fs::path pages = folder_ / "state/fernwood/pages";
  fs::create_directories(pages);
  fs::permissions(pages, fs::perms::all);
  const std::string first = address(taught({"--data", rooms() / "train"}));
  EXPECT_EQ(fs::status(pages).permissions(), fs::perms::owner_all);
  EXPECT_EQ(address(taught({})), first);
  const std::string port = first.substr(first.rfind(':') + 1, first.find('/', first.rfind(':')) - first.rfind(':') - 1);
  EXPECT_EQ(address(taught({"--port", port})), first) << "an open page returns";
  fs::permissions(page_file(".txt"), fs::perms::owner_read | fs::perms::group_read);
  EXPECT_NE(address(taught({})), first) << "others may have read it";
  fs::remove(page_file(".txt"));
  fs::create_directory(folder_ / "other");
  fs::remove_all(pages);
  fs::create_directory_symlink(folder_ / "other", pages);
  EXPECT_EQ(taught({}).exit_code, 0);
  EXPECT_TRUE(fs::is_empty(folder_ / "other"));
}

TEST_F(Teach, EndsAsWellWhenTheTerminalIsClosedAndNamesACommandThatAShellTakes) {
  const Outcome hung_up = taught({"--data", rooms() / "train", "--import-labels"}, SIGHUP, "it's mine");
  EXPECT_EQ(hung_up.exit_code, 0) << hung_up.err;
  EXPECT_TRUE(fs::exists(out("it's mine") / "strokes.truth"));
  EXPECT_TRUE(tells(hung_up, "--data '" + (folder_ / "out").string() + "/it'\\''s mine' --preset fast")) << hung_up.out;
}

TEST_F(Teach, TruthThatIsOlderThanTheJournalIsWrittenBeforeItIsRead) {
  ASSERT_EQ(taught({"--data", rooms() / "train", "--import-labels"}).exit_code, 0);
  const fs::path truth = out("p") / "scene0000_ground_truth.png";
  const std::string whole = text_of(truth);
  fs::copy_file(out("p") / "scene0001_ground_truth.png", truth, fs::copy_options::overwrite_existing);
  std::ofstream(out("p") / "strokes.truth") << "12\n";
  EXPECT_EQ(run({"dataset", "check", "--data", out("p")}).exit_code, 0);
  EXPECT_EQ(text_of(truth), whole);
}

TEST_F(Teach, OtherCommandsUseTheTruthOfTheStrokesOrNone) {
  ASSERT_EQ(taught({"--data", rooms() / "train", "--import-labels"}).exit_code, 0);
  const fs::path truth = out("p") / "scene0000_ground_truth.png", other = out("p") / "scene0001_ground_truth.png";
  const std::string whole = text_of(truth);
  std::ofstream(out("seats.csv")) << "sofa, seat\nchair, seat\n";
  const std::string data = out("p").string();
  const std::vector<Words> commands = {
      {"dataset", "split", "--data", data, "--test", "0.5"},
      {"dataset", "sample", "--data", data, "--frames", "4"},
      {"dataset", "merge", data},
      {"dataset", "remap", "--data", data, "--map", out("seats.csv").string()},
      {"predict", "--model", model().string(), "--data", data, "--panel"},
  };
  for (Words command : commands) {
    const std::string name = command[0] == "predict" ? command[0] : command[1];
    command.insert(command.end(), {"--out", out(name).string()});
    fs::copy_file(other, truth, fs::copy_options::overwrite_existing);
    const Outcome refused = run(command);
    EXPECT_EQ(refused.exit_code, kData) << name;
    testdata::expect_sentence(refused.err);
    EXPECT_FALSE(fs::exists(out(name))) << name;
    std::ofstream(out("p") / "strokes.truth") << "12\n";  // as if the strokes were newer
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 0) << name << ": " << outcome.err;
    EXPECT_EQ(text_of(truth), whole) << name;
  }
}

TEST_F(Teach, WhatIsNoProjectIsRefusedBeforeAFolderIsMade) {
  expect_each_refused({{"teach", "--no-browser"},
                       {"teach", "--out", out("p"), "--no-browser"},
                       {"teach", "--out", out("p"), "--data", rooms(), "--no-browser", "--port", "-1"},
                       {"teach", "--out", out("p"), "--data", rooms(), "--no-browser", "--preset", "fastest"}});
  expect_each_refused({{"teach", "--out", out("p"), "--data", out("none"), "--no-browser"},
                       {"teach", "--out", rooms(), "--data", rooms() / "train", "--no-browser"}},
                      kData);
}

TEST_F(Teach, LabelsOfAModelGoOutForOtherTools) {
  const fs::path plain = out("plain");  // without ground truth
  fs::create_directories(plain);
  for (const auto& entry : fs::directory_iterator(rooms() / "train"))
    if (entry.path().string().find("ground_truth") == std::string::npos)
      fs::copy(entry.path(), plain / entry.path().filename());
  const Words words = {"dataset", "export", "--data", plain, "--format", "png", "--out", out("exported")};
  Words by_model = words;
  by_model.insert(by_model.end(), {"--model", model(), "--device", "cpu", "--smooth", "20"});
  const Outcome exported = run(by_model);
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const Outcome predicted = run(
      {"predict", "--model", model(), "--data", plain, "--device", "cpu", "--smooth", "20", "--out", out("labels")});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_EQ(text_of(out("exported") / "scene0001.png"), text_of(out("labels") / "scene0001_labels.png"));
  EXPECT_TRUE(fs::exists(out("exported") / "classes.txt"));
}

}  // namespace
}  // namespace fernwood::apps
