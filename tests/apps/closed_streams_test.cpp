// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nlohmann/json.hpp>

#include "apps/command_line.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

/// Runs the program through a shell that redirects or closes its standard streams.
class ClosedStreams : public CommandLine {
 protected:
  /// @param redirection  In shell syntax, for example ">&-".
  Outcome run_with(const std::string& redirection, const Words& arguments) const {
    Words words = {"-c", "exec \"$@\" " + redirection, "sh", program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program("/bin/sh", words);
  }

  /// Arguments that label two frames live and record them.
  Words recording(const std::string& name) const {
    return {"live",     "--model", model(),      "--source",      "frames:" + (rooms() / "test").string(),
            "--device", "cpu",     "--headless", "--every-frame", "--record",
            out(name)};
  }
  static Words first_words(const fs::path& file) {
    Words words;
    std::istringstream lines(text_of(file));
    for (std::string line; std::getline(lines, line);) words.push_back(line.substr(0, line.find(' ')));
    return words;
  }
};

TEST_F(ClosedStreams, NothingIsPrintedIntoARecording) {
  ASSERT_EQ(run(recording("expected")).exit_code, 0);
  for (const std::string closed : {">&-", "2>&-", "<&- >&- 2>&-"}) {
    const Outcome outcome = run_with(closed, recording("recorded"));
    EXPECT_EQ(outcome.exit_code, closed == "2>&-" ? 0 : kRuntime) << closed << outcome.err;
    EXPECT_EQ(first_words(out("recorded") / "times.txt"), first_words(out("expected") / "times.txt")) << closed;
    fs::remove_all(out("recorded"));
  }
}

TEST_F(ClosedStreams, NothingIsPrintedIntoAJournal) {
  const std::string space = folder_.write("space.toml", "[trees]\nvalue = 1\n[features]\nlow = 10\nhigh = 40\n");
  const auto search = [&](const std::string& name, const Words& more) {
    Words words = {
        "search",   "--data", rooms() / "train", "--out", out(name),  "--space", space,        "--folds", "3",
        "--trials", "2",      "--batch-size",    "1",     "--device", "cpu",     "--backbone", "none"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(run(search("known", {})).exit_code, 0);
  std::istringstream lines(text_of(out("known") / "journal.jsonl"));
  std::string head, batch;
  std::getline(lines, head);
  std::getline(lines, batch);
  const nlohmann::json configuration = nlohmann::json::parse(batch).at("configurations").at(0);
  const std::string proposals =
      folder_.write("proposals", nlohmann::json{{"configuration", configuration}}.dump() + "\n");
  for (const std::string closed : {">&-", "2>&-", "<&- >&- 2>&-"}) {
    const std::string input = closed.starts_with("<") ? " " : " <" + proposals;
    const Outcome outcome = run_with(closed + input, search("found", {"--external-sampler", "-"}));
    EXPECT_EQ(outcome.exit_code, closed == "2>&-" ? 0 : kRuntime) << closed << outcome.err;
    const Outcome resumed = run_with("<" + proposals, search("found", {"--external-sampler", "-"}));
    EXPECT_EQ(resumed.exit_code, 0) << "what was printed stands in the journal: " << resumed.err;
    fs::remove_all(out("found"));
  }
}

TEST_F(ClosedStreams, NothingIsPrintedIntoAProject) {
  const fs::path log = folder_ / "taught";
  fs::create_directories(log);
  for (const std::string closed : {">&-", "2>&-", "<&- >&- 2>&-"}) {
    RunningCommand running(log,
                           {"-c", "exec \"$@\" " + closed, "sh", program(), "teach", "--out", out("p"), "--data",
                            rooms() / "train", "--device", "cpu", "--no-browser"},
                           {}, "/bin/sh");
    EXPECT_TRUE(wait_for([&] { return running.has_ended() || fs::exists(page_file(".txt")); }));
    // The page is served in all cases; its address goes to standard error where standard output is closed.
    const auto is_told = [&] { return text_of(log / "stderr").find("http://127.0.0.1:") != std::string::npos; };
    EXPECT_TRUE(closed != ">&-" || wait_for(is_told));
    running.signal(SIGINT);
    const Outcome outcome = running.wait();
    EXPECT_EQ(outcome.exit_code, closed == "2>&-" ? 0 : kRuntime) << closed << outcome.err;
    EXPECT_TRUE(fs::exists(out("p") / "scene0000_ground_truth.png")) << closed;
    if (closed == ">&-") {
      EXPECT_NE(outcome.err.find("standard output"), std::string::npos) << outcome.err;
    }
    EXPECT_EQ(text_of(out("p") / "strokes.journal").find("127.0.0.1"), std::string::npos) << closed;
    fs::remove_all(out("p"));
    fs::remove_all(folder_ / "state");
  }
}

TEST_F(ClosedStreams, AResultThatIsLostIsAnError) {
  for (const Words& words : {Words{"evaluate", "--model", model(), "--data", rooms() / "test", "--json"},
                             Words{"describe", model()}, Words{"--help"}}) {
    const Outcome closed = run_with(">&-", words);
    EXPECT_EQ(closed.exit_code, kRuntime) << closed.err;
    testdata::expect_sentence(closed.err);
    const Outcome full = run_with(">/dev/full", words);
    EXPECT_EQ(full.exit_code, kResource) << full.err;
    testdata::expect_sentence(full.err);
  }
}

}  // namespace
}  // namespace fernwood::apps
