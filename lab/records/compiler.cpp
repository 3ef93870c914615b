// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "core/machine.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

extern char** environ;

namespace fernwood::lab {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// Where the shell would find a program; empty: nowhere.
fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? fs::path(name) : fs::path();
  for (const std::string& folder : split(environment("PATH"), ':'))
    if (const fs::path path = fs::path(folder) / name; ::access(path.c_str(), X_OK) == 0) return path;
  return {};
}

/// A folder that is removed with all in it.
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

/// Runs a command whose output goes to a file. @return  Its exit status, 127 when it cannot be run.
int run(std::vector<std::string> words, const fs::path& output) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const int failure = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failure != 0) return 127;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
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

/// Empty when there is no such place.
fs::path code_folder() {
  const fs::path folder = cache_folder();
  return folder.empty() ? folder : folder / "code";
}

/// Tells apart compilers, their versions and what they are asked to compile.
std::string key_of(const std::vector<std::string>& command, const std::string& source) {
  std::string text = source;
  for (const std::string& word : command) text += '\0' + word;
  std::error_code ignored;
  const fs::path program = fs::canonical(find_program(command[0]), ignored);
  text += '\0' + program.string() + '\0' + std::to_string(fs::file_size(program, ignored));
  return to_hex(checksum(text.data(), text.size()));
}

/// Null when it is not there or damaged.
void* try_to_load(const fs::path& library) { return ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL); }

void* load(const fs::path& library) {
  void* const loaded = try_to_load(library);
  FW_CHECK(loaded != nullptr, Runtime,
           library.string() << ": compiled code cannot be loaded: " << ::dlerror()
                            << "; remove the file, or give another --strategy");
  return loaded;
}

/// Keeps compiled code for the next time, if that can be.
void keep(const fs::path& library, const fs::path& kept) try {
  fs::create_directories(kept.parent_path());
  const std::vector<std::uint8_t> bytes = read_file(library);
  write_file_atomically(kept, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  });
} catch (const std::exception&) {  // a cache that cannot be written costs time, nothing else
}

void* compile(std::vector<std::string> command, const std::string& source, const fs::path& kept) {
  const TemporaryFolder folder;
  const fs::path code = folder.path() / "forest.cpp", library = folder.path() / "forest.so",
                 output = folder.path() / "output.txt";
  write_file_atomically(code, [&](std::ostream& out) { out << source; });
  command.insert(command.end(), {code.string(), "-o", library.string()});
  const int status = run(command, output);
  FW_CHECK(status == 0, Runtime,
           "the compiler " << command[0] << " fails with status " << status << ": " << first_complaint(output)
                           << "; set CXX to another one, or give another --strategy");
  if (!kept.empty()) keep(library, kept);
  return load(library);
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
  const fs::path folder = code_folder();
  const fs::path kept = folder.empty() ? fs::path() : folder / (key_of(command, source) + ".so");
  if (!kept.empty()) library_.reset(try_to_load(kept));
  if (!library_) library_.reset(compile(std::move(command), source, kept));
}

const void* CompiledCode::find(const char* name) const {
  const void* const address = ::dlsym(library_.get(), name);
  FW_CHECK(address != nullptr, Runtime,
           "compiled code lacks " << name << "; remove the files of fernwood/code in the cache");
  return address;
}

void CompiledCode::Close::operator()(void* library) const { ::dlclose(library); }

}  // namespace fernwood::lab
