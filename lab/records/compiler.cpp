// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/compiler.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"
#include "shell/child_process.h"

namespace fernwood::lab {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  TextInput stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// The path at which the shell would find a program; empty if it would not.
fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path();
  for (const std::string& folder : split(environment("PATH"), ':'))
    if (const fs::path path = fs::path(folder) / name; ::access(path.c_str(), X_OK) == 0) return path;
  return {};
}

/// A temporary folder, removed with its contents by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::error_code missing;
    const fs::path place = fs::temp_directory_path(missing);
    std::string pattern = ((missing ? fs::path("/tmp") : place) / "fernwood-XXXXXX").string();
    FW_CHECK(
        ::mkdtemp(pattern.data()) != nullptr, Runtime,
        pattern << ": cannot be created: " << std::strerror(errno) << "; set TMPDIR to a folder that can be written");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

constexpr std::chrono::minutes kMaxCompiling{10};  // g++ takes a minute for the largest forests of the papers

/// Waits for a process, and kills it if it takes too long. It is in our process group, so that Ctrl-C ends it, too.
int wait_for(pid_t process) {
  const auto end = std::chrono::steady_clock::now() + kMaxCompiling;
  int status = 0;
  for (pid_t ended = 0; ended == 0;) {
    ended = ::waitpid(process, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) return 127;
    if (ended > 0) break;
    ended = 0;
    if (std::chrono::steady_clock::now() > end) ::kill(process, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/// Runs a command with its output in a file. @return  Its exit status; 127 if it cannot be run or was killed.
int run(const std::vector<std::string>& words, const fs::path& output) {
  const apps::Child child = apps::start_program(words, {.output = output});
  return child.error_number == 0 ? wait_for(child.process) : 127;
}

std::string first_complaint(const fs::path& output) {
  std::error_code missing;
  if (!fs::exists(output, missing)) return "it cannot be run";
  const std::vector<std::uint8_t> bytes = read_file(output);
  const std::vector<std::string> lines = split(std::string(bytes.begin(), bytes.end()), '\n');
  for (const std::string& line : lines)
    if (line.find("error") != std::string::npos) return line;
  return lines.empty() ? "it says nothing" : lines[0];
}

/// Compiles and loads code. Results are not cached: loaded code must not come from a folder to which others may write.
void* compile(std::vector<std::string> command, const std::string& source) {
  const TemporaryFolder folder;
  const fs::path code = folder.path() / "forest.cpp",
                 library = folder.path() / ("forest" + std::string(platform::kLibrarySuffix)),
                 output = folder.path() / "output.txt";
  write_file_atomically(code, NamedBy::kFernwood, [&](std::ostream& out) { out << source; });
  command.insert(command.end(), {code.string(), "-o", library.string()});
  const int status = run(command, output);
  FW_CHECK(status == 0, Runtime,
           "the compiler " << command[0] << " fails with status " << status << ": " << first_complaint(output)
                           << "; set CXX to another one, or give another --strategy");
  std::string problem;
  void* const loaded = platform::open_library(library, &problem);
  FW_CHECK(loaded != nullptr, Runtime, "compiled code cannot be loaded: " << problem << "; give another --strategy");
  return loaded;
}

}  // namespace

std::vector<std::string> find_compiler() {
  const std::vector<std::string> named = split(environment("CXX"), ' ');
  if (!named.empty()) return find_program(named[0]).empty() ? std::vector<std::string>{} : named;
  for (const char* name : {"c++", "g++", "clang++"})
    if (!find_program(name).empty()) return {name};
  return {};
}

CompiledCode::CompiledCode(const std::string& source, const std::vector<std::string>& options) {
  std::vector<std::string> command = find_compiler();
  FW_CHECK(!command.empty(), Runtime, "there is no C++ compiler; install g++ or clang++, or set CXX");
  for (const char* word : {"-x", "c++", "-w", "-shared", "-fPIC", "-fno-trapping-math"}) command.emplace_back(word);
  command.insert(command.end(), options.begin(), options.end());
  library_.reset(compile(std::move(command), source));
}

const void* CompiledCode::find(const char* name) const {
  const void* const address = platform::find_in_library(library_.get(), name);
  FW_CHECK(address != nullptr, Runtime, "compiled code lacks " << name << "; give another --strategy");
  return address;
}

void CompiledCode::Close::operator()(void* library) const { platform::close_library(library); }

}  // namespace fernwood::lab
