// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

namespace fernwood::apps {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Resets signals as a shell would: this program blocks some for all of its threads, and ignores one.
class ChildAttributes {
 public:
  explicit ChildAttributes(bool has_own_session) {
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGXFSZ);
    posix_spawnattr_init(&value_);
    posix_spawnattr_setsigmask(&value_, &none);
    posix_spawnattr_setsigdefault(&value_, &ignored);
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (has_own_session ? POSIX_SPAWN_SETSID : 0);
    posix_spawnattr_setflags(&value_, static_cast<short>(flags));
  }
  ~ChildAttributes() { posix_spawnattr_destroy(&value_); }
  ChildAttributes(const ChildAttributes&) = delete;
  ChildAttributes& operator=(const ChildAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &value_; }

 private:
  posix_spawnattr_t value_;
};

class ChildFiles {
 public:
  explicit ChildFiles(const std::filesystem::path& output) {
    posix_spawn_file_actions_init(&value_);
    if (!output.empty()) {
      posix_spawn_file_actions_addopen(&value_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
      posix_spawn_file_actions_addopen(&value_, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      posix_spawn_file_actions_adddup2(&value_, STDOUT_FILENO, STDERR_FILENO);
    }
#if __GLIBC_PREREQ(2, 34)
    // Descriptors that fernwood opens are closed by exec(); those of libraries may not be.
    posix_spawn_file_actions_addclosefrom_np(&value_, STDERR_FILENO + 1);
#endif
  }
  ~ChildFiles() { posix_spawn_file_actions_destroy(&value_); }
  ChildFiles(const ChildFiles&) = delete;
  ChildFiles& operator=(const ChildFiles&) = delete;
  const posix_spawn_file_actions_t* get() const { return &value_; }

 private:
  posix_spawn_file_actions_t value_;
};

}  // namespace

Child start_program(std::vector<std::string> words, const ChildOptions& options) {
  const ChildFiles files(options.output);
  const ChildAttributes attributes(options.has_own_session);
  Child child;
  child.error_number = ::posix_spawnp(&child.process, words.front().c_str(), files.get(), attributes.get(),
                                      pointers_to(words).data(), environ);
  return child;
}

int wait_for_child(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void wait_in_background(pid_t process) {
  try {
    std::thread([process] { wait_for_child(process); }).detach();
  } catch (const std::system_error&) {  // no thread available: the zombie disappears with this program
  }
}

}  // namespace fernwood::apps
