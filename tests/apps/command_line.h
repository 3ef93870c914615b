// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Runs the program as a user does and checks its exit code, both outputs and files.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sentences.h"
#include "test_folder.h"
#include "wait_for.h"

namespace fernwood::apps {

using Words = std::vector<std::string>;
namespace fs = std::filesystem;

/// Exit codes of the program; see docs/reference/devices.md for kDevice and kResource.
inline constexpr int kRuntime = 1, kUsage = 2, kData = 3, kDevice = 4, kModel = 5, kResource = 6, kInterrupted = 130;

inline std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Outcome {
  int exit_code = -1;  ///< 128 + the signal's number after a crash, as in shells.
  std::string out, err;
  std::size_t peak_bytes = 0;  ///< Of resident memory.
};

/// Name of the environment variable with the path of the program under test, for example in a package.
#ifndef FERNWOOD_PROGRAM_VARIABLE
#define FERNWOOD_PROGRAM_VARIABLE "FERNWOOD_PROGRAM"
#endif

/// Path of the program under test: that of the environment, else the one of the build.
inline std::string program() {
  const char* const named = std::getenv(FERNWOOD_PROGRAM_VARIABLE);
  return named ? named : FERNWOOD_PROGRAM;
}
#ifdef FERNWOOD_LAB_PROGRAM
inline std::string lab_program() { return FERNWOOD_LAB_PROGRAM; }
inline std::string tables_program() { return FERNWOOD_TABLES_PROGRAM; }
#endif

/// A run of the program in the background.
class RunningCommand {
 public:
  /// @param folder           Receives the outputs, as files stdout and stderr.
  /// @param standard_output  Receives standard output instead, for example a device; empty: unused.
  /// @param standard_input   A named pipe is opened for writing, too, so that it does not end.
  RunningCommand(const fs::path& folder, const Words& arguments, const fs::path& standard_output = {},
                 const std::string& executable = program(), const fs::path& standard_input = "/dev/null")
      : out_(standard_output.empty() ? folder / "stdout" : standard_output), err_(folder / "stderr") {
    Words words = {executable};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    process_ = ::fork();
    if (process_ != 0) return;
    redirect(STDIN_FILENO, standard_input, fs::is_fifo(standard_input) ? O_RDWR : O_RDONLY);
    redirect(STDOUT_FILENO, out_, O_WRONLY | O_CREAT | O_TRUNC);
    redirect(STDERR_FILENO, err_, O_WRONLY | O_CREAT | O_TRUNC);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ~RunningCommand() {
    if (process_ > 0) ::kill(process_, SIGKILL), ::waitpid(process_, nullptr, 0);
  }
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  /// Waits until the program has blocked the signal to handle it itself, which takes a while on a busy machine.
  void signal(int number) const {
    if (process_ <= 0) return;  // has ended; kill(0, ...) would signal this process group
    const auto is_blocked = [&] {
      std::istringstream status(text_of("/proc/" + std::to_string(process_) + "/status"));
      for (std::string word; status >> word;)
        if (word == "SigBlk:" && status >> word) return (std::stoull(word, nullptr, 16) >> (number - 1) & 1) != 0;
      return false;
    };
    if (number != SIGKILL) static_cast<void>(wait_for(is_blocked));
    ::kill(process_, number);
  }
  bool has_ended() {
    if (process_ > 0 && ::wait4(process_, &status_, WNOHANG, &usage_) == process_) process_ = 0;
    return process_ <= 0;
  }
  Outcome wait() {
    if (process_ > 0) ::wait4(process_, &status_, 0, &usage_);
    process_ = 0;
    return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_),
            fs::is_regular_file(out_) ? text_of(out_) : "", text_of(err_),
            static_cast<std::size_t>(usage_.ru_maxrss) * 1024};
  }

 private:
  static void redirect(int descriptor, const fs::path& file, int flags) {
    ::dup2(::open(file.c_str(), flags, 0600), descriptor);
  }

  fs::path out_, err_;
  pid_t process_ = -1;
  int status_ = 0;
  struct rusage usage_ = {};
};

/// A separate folder for each test, the program, and tiny data shared by all tests of a process.
class CommandLine : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!shared_folder().empty()) return;
    shared_folder() = fs::path(testing::TempDir()) / ("fernwood_apps_" + std::to_string(::getpid()));
    fs::create_directories(shared_folder() / "run");
    ::setenv("FERNWOOD_CACHE", (shared_folder() / "cache").c_str(), 1);  // not the user's
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(shared_folder(), ignored);
    });
  }

  /// Generated frames of 64 x 48 pixels in train/ and test/.
  static fs::path rooms() {
    const fs::path folder = shared_folder() / "rooms";
    static const bool made =
        run_in(shared_folder() / "run", {"dataset", "generate", "--out", folder.string(), "--frames", "4",
                                         "--test-frames", "2", "--seed", "3", "--size", "64x48"})
            .exit_code == 0;
    EXPECT_TRUE(made);
    return folder;
  }
  /// A model trained on rooms(), with the channels Lab and depth.
  static fs::path model() {
    const fs::path file = shared_folder() / "rooms.fernwood";
    static const Outcome trained = run_in(shared_folder() / "run", small_training(rooms() / "train", file));
    EXPECT_EQ(trained.exit_code, 0) << trained.err;
    return file;
  }

  /// Arguments of a training that takes a moment, without a backbone and with the channels Lab and depth unless `more`
  /// names others.
  static Words small_training(const fs::path& data, const fs::path& out, const Words& more = {}) {
    Words words = {
        "train", "--data",     data.string(), "--out",        out.string(), "--trees",     "1", "--samples-per-frame",
        "200",   "--features", "40",          "--thresholds", "8",          "--max-depth", "5", "--min-samples",
        "4"};
    if (std::ranges::count(more, "--algorithm") + std::ranges::count(more, "--preset") == 0)
      words.insert(words.end(), {"--algorithm", "forest"});
    words.insert(words.end(), more.begin(), more.end());
    if (std::ranges::count(more, "--backbone") == 0) words.insert(words.end(), {"--backbone", "none"});
    if (std::ranges::count(more, "--channels") == 0) words.insert(words.end(), {"--channels", "lab,depth"});
    return words;
  }

  static Outcome run_in(const fs::path& folder, const Words& arguments) {
    return RunningCommand(folder, arguments).wait();
  }
  Outcome run(const Words& arguments) const { return run_in(log_.path(), arguments); }
  /// Whether the program under test has this plug-in.
  static bool has_plugin(const std::string& name) {
    return fs::exists(fs::canonical(program()).parent_path().parent_path() / "lib/fernwood/plugins" /
                      ("fernwood_" + name + ".so"));
  }
  /// Like run(), for another executable.
  Outcome run_program(const std::string& executable, const Words& arguments) const {
    return RunningCommand(log_.path(), arguments, {}, executable).wait();
  }

  /// A copy of the training frames with dataset.toml, for tests that damage it.
  fs::path copy_of_rooms() const {
    const fs::path copy = folder_ / "data";
    fs::copy(rooms() / "train", copy);
    fs::copy_file(rooms() / "dataset.toml", copy / "dataset.toml");
    return copy;
  }
  /// Path of a result in a folder that is empty at first.
  fs::path out(const std::string& name) const { return folder_ / ("out/" + name); }
  std::set<std::string> written() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) names.insert(entry.path().filename().string());
    return names;
  }

  /// Expects this exit code, a one-line error message, an empty standard output and no files.
  /// @param parts  Of the message, if it depends on the machine; else it is the next sentence of the test.
  void expect_refused(const Words& arguments, int exit_code, const Words& parts = {}) const {
    expect_refusal(run(arguments), exit_code, parts);
  }
  void expect_refusal(const Outcome& outcome, int exit_code, const Words& parts = {}) const {
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    if (parts.empty()) testdata::expect_sentence(outcome.err);
    for (const std::string& part : parts) EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(written(), testing::IsEmpty());
  }
  void expect_each_refused(const std::vector<Words>& commands, int exit_code = kUsage) const {
    for (const Words& words : commands) expect_refused(words, exit_code);
  }
  /// Likewise for training with the options of small_training().
  void expect_training_refused(const fs::path& data, int exit_code) const {
    expect_refused(small_training(data, out("model")), exit_code);
  }

  void SetUp() override {
    fs::create_directories(folder_ / "out");
    ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);  // not the user's
  }
  /// File of the only project's page: ".txt" holds its port and token, ".html" opens it in the browser.
  fs::path page_file(const std::string& ending) const {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_ / "state/fernwood/pages", none))
      if (entry.path().extension() == ending) return entry.path();
    return folder_ / ("none" + ending);
  }

  testdata::TestFolder folder_;

 private:
  static fs::path& shared_folder() {
    static fs::path folder;
    return folder;
  }

  struct LogFolder {
    explicit LogFolder(const fs::path& beside) : path_(beside / "log") { fs::create_directories(path_); }
    const fs::path& path() const { return path_; }
    fs::path path_;
  } log_{folder_.path()};
};

}  // namespace fernwood::apps
