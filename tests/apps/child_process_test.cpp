// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sys/socket.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "apps/command_line.h"
#include "fernwood/core/file_stream.h"
#include "fernwood/core/platform.h"
#include "wait_for.h"

namespace fernwood::apps {
namespace {

/// Output of a shell script run as a child process.
std::string printed_by(const std::string& script) {
  const testdata::TestFolder folder;
  const platform::ChildOptions options = {.output = folder / "printed"};
  const platform::Child child = platform::start_program({"sh", "-c", script}, options);
  EXPECT_EQ(child.error_number, 0);
  EXPECT_EQ(platform::wait_for_child(child, std::chrono::seconds(60)), 0);
  return text_of(options.output);
}

/// Prints the number of the shell's open descriptors, without the one that lists the folder.
constexpr const char* kListDescriptors = "set -- /proc/$$/fd/*; echo $(($# - 1))";

TEST(ChildProcess, AConnectedProgramReadsAndWritesUntilItEnds) {
  platform::ConnectedProgram echo({"dd", "bs=100000", "count=3", "iflag=fullblock", "status=none"});
  ASSERT_EQ(echo.error_number(), 0);
  const std::vector<std::byte> sent(100000, std::byte{7});  // more than the connection buffers, in all
  std::vector<std::byte> received(sent.size());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(echo.write(sent));
    EXPECT_TRUE(echo.read(received));
    EXPECT_EQ(received, sent);
  }
  EXPECT_FALSE(echo.read(received));
  EXPECT_EQ(platform::ConnectedProgram({"fernwood-no-such-program"}).error_number(), ENOENT);
}

TEST(ChildProcess, HasTheThreeStandardStreamsAlone) {
  const testdata::TestFolder folder;
  const InputFile read("/dev/null");
  const OutputFile written(folder / "written");
  std::ofstream held_by_a_library(folder / "held");  // not closed by exec()
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT_EQ(printed_by(kListDescriptors), "3\n");
  ::close(socket);
}

TEST(ChildProcess, OurStreamsAreClosedByExecItself) {
  const testdata::TestFolder folder;
  const std::size_t before = static_cast<std::size_t>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const InputFile read("/dev/null");
  const OutputFile written(folder / "written");
  for (int descriptor = static_cast<int>(before) + 1; descriptor <= static_cast<int>(before) + 2; ++descriptor)
    EXPECT_EQ(::fcntl(descriptor, F_GETFD), FD_CLOEXEC);
  ::close(static_cast<int>(before));
}

TEST(ChildProcess, IsReachedBySignalsAsAShellsWouldBe) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int number : {SIGINT, SIGTERM, SIGXFSZ}) sigaddset(&blocked, number);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const std::string status = printed_by("cat /proc/self/status");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(status.find("SigBlk:\t0000000000000000"), std::string::npos) << status;
  EXPECT_EQ(status.find("SigIgn:\t0000000001000000"), std::string::npos) << status;
}

TEST(ChildProcess, ThatIsNotThereIsToldByItsNumber) {
  EXPECT_EQ(platform::start_program({"fernwood-no-such-program"}).error_number, ENOENT);
}

TEST(ChildProcess, EndsWithItsCodeOrIsKilled) {
  const auto code_of = [](const std::string& script, std::chrono::seconds most) {
    return platform::wait_for_child(platform::start_program({"sh", "-c", script}), most);
  };
  EXPECT_EQ(code_of("exit 3", std::chrono::seconds(60)), 3);
  EXPECT_EQ(code_of("exec sleep 600", std::chrono::seconds(0)), 127);
}

TEST(ChildProcess, LeavesNothingWhenItHasEnded) {
  const platform::Child child = platform::start_program({"true"});
  platform::wait_in_background(child);
  const fs::path entry = "/proc/" + std::to_string(child.process);
  EXPECT_TRUE(wait_for([&] { return !fs::exists(entry); }));
}

/// A stand-in for the browser that records its arguments and descriptors, then keeps running.
class Browser : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    const fs::path script = folder_ / "bin" / "xdg-open";
    fs::create_directories(script.parent_path());
    std::ofstream(script) << "#!/bin/sh\n"
                             "exec >\"$BROWSER_TOLD.new\"\n"
                             "tr '\\0' ' ' </proc/$$/cmdline; echo\n"
                             "stat -c %a \"$1\"; cat \"$1\"\n"
                             "ls -l /proc/$$/fd\n"
                             "mv \"$BROWSER_TOLD.new\" \"$BROWSER_TOLD\"\n"
                             "exec sleep \"$BROWSER_STAYS\"\n";
    fs::permissions(script, fs::perms::owner_all);
    path_ = std::getenv("PATH");
    ::setenv("PATH", (script.parent_path().string() + ":" + path_).c_str(), 1);
    ::setenv("BROWSER_TOLD", told().c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    for (const char* name : {"BROWSER_TOLD", "BROWSER_STAYS"}) ::unsetenv(name);
  }
  fs::path told() const { return folder_ / "told"; }

  /// Runs teach until the browser has written its record, then calls `look`.
  Outcome taught(const std::function<void()>& look, const std::string& stays) const {
    ::setenv("BROWSER_STAYS", stays.c_str(), 1);
    RunningCommand running(folder_.path(),
                           {"teach", "--out", out("p"), "--data", rooms() / "train", "--device", "cpu"});
    EXPECT_TRUE(wait_for([&] { return fs::exists(told()) || running.has_ended(); }));
    look();
    running.signal(SIGINT);
    return running.wait();
  }
  std::string token() const {
    std::istringstream page(text_of(page_file(".txt")));
    std::string port, token;
    page >> port >> token;
    return token;
  }

  std::string path_;
};

TEST_F(Browser, GetsTheAddressInAFileOfItsOwnAndNothingElse) {
  const auto look = [&] {
    const std::string text = text_of(told()), words = text.substr(0, text.find('\n'));
    ASSERT_EQ(token().size(), 32u);
    EXPECT_EQ(words.find(token()), std::string::npos) << "all users see the command lines of all";
    for (const std::string& part : {std::string("\n600\n"), std::string("url=http://127.0.0.1:"), token()})
      EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(text.find("socket:"), std::string::npos) << text;
  };
  EXPECT_EQ(taught(look, "0").exit_code, 0);
  EXPECT_FALSE(fs::exists(page_file(".html")));
}

TEST_F(Browser, ThatStaysKeepsNoPort) {
  const auto port = [&] { return text_of(page_file(".txt")); };
  std::string first;
  EXPECT_EQ(taught([&] { first = port(); }, "20").exit_code, 0);
  fs::remove(told());
  EXPECT_EQ(taught([&] { EXPECT_EQ(port(), first) << "it was taken still"; }, "0").exit_code, 0);
}

}  // namespace
}  // namespace fernwood::apps
