// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// The standard streams, signals, environment and children of a process.

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "core/platform/file_system.h"
#include "fernwood/core/platform.h"

namespace fernwood::platform {

std::string machine_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string process_name() {
  const std::string machine = machine_name();
  return "process " + std::to_string(::getpid()) + (machine.empty() ? "" : " on " + machine);
}

bool prepare_standard_streams() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // Children inherit the descriptor; otherwise they would print into files of their own.
    int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened < 0) opened = ::open("/", O_PATH);  // without /dev; can be neither read nor written
    if (opened != descriptor) return false;
  }
  return true;
}

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) != 0; }

std::optional<std::size_t> terminal_columns(std::FILE* stream) {
  constexpr unsigned short kFewest = 20;  // terminals of unknown size report fewer
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col <= kFewest) return std::nullopt;
  return size.ws_col;
}

std::ptrdiff_t read_standard_input(std::span<char> into, const std::function<void()>& while_waiting) {
  constexpr int kMillisecondsBetween = 100;
  OpenFile input("-", OpenFile::For::kReadArriving);
  while (input.waits(kMillisecondsBetween)) while_waiting();
  return input.read(into.data(), into.size());
}

void on_interrupt(std::function<void()> first, int exit_code) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  struct sigaction hangup;  // nohup makes programs ignore it
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  // Threads started later inherit the mask, so that only this one receives the signals.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, first = std::move(first), exit_code] {
    int number = 0;
    sigwait(&signals, &number);
    first();
    sigwait(&signals, &number);
    std::_Exit(exit_code);
  }).detach();
}

void after_fork(void (*in_child)()) { ::pthread_atfork(nullptr, nullptr, in_child); }

void set_default_variable(const char* name, const char* value) { ::setenv(name, value, 0); }

void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

bool is_display_reachable(const std::string& display) {
  if (display.empty() || display.front() != ':') return !display.empty();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/tmp/.X11-unix/X" + display.substr(1, display.find('.') - 1);
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  ::close(socket);
  return connected;
}

Child start_program(std::vector<std::string> words, const ChildOptions& options) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (!options.output.empty()) {
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, options.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  }
  if (options.connection >= 0)
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO})
      posix_spawn_file_actions_adddup2(&files, options.connection, stream);
#if __GLIBC_PREREQ(2, 34)
  // Descriptors that fernwood opens are closed by exec(); those of libraries may not be.
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
#endif
  // Resets signals as a shell would: this program blocks some for all of its threads, and ignores one.
  sigset_t none, ignored;
  sigemptyset(&none);
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGXFSZ);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (options.has_own_session ? POSIX_SPAWN_SETSID : 0);
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  Child child;
  child.error_number = ::posix_spawnp(&child.process, pointers[0], &files, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return child;
}

int wait_for_child(const Child& child, std::chrono::seconds most) {
  constexpr int kNoExitCode = 127;
  const auto end = std::chrono::steady_clock::now() + most;
  int status = 0;
  for (;;) {
    const pid_t ended = ::waitpid(child.process, &status, WNOHANG);
    if (ended != 0) return ended > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kNoExitCode;
    if (std::chrono::steady_clock::now() > end) ::kill(child.process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void wait_in_background(const Child& child) {
  try {
    std::thread([process = child.process] {
      while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
      }
    }).detach();
  } catch (const std::system_error&) {  // no thread available: the zombie disappears with this program
  }
}

ConnectedProgram::ConnectedProgram(std::vector<std::string> words) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    child_.error_number = errno;
    return;
  }
  connection_ = ends[0];
  child_ = start_program(std::move(words), {.connection = ends[1], .has_own_session = true});
  ::close(ends[1]);
}

ConnectedProgram::~ConnectedProgram() {
  if (connection_ >= 0) ::close(connection_);
  if (child_.error_number == 0) wait_in_background(child_);
}

bool ConnectedProgram::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool ConnectedProgram::read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t received = ::recv(connection_, bytes.data(), bytes.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

}  // namespace fernwood::platform
