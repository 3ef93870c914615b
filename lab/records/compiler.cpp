// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "lab/records/compiler.h"

#include <chrono>
#include <cstdlib>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"

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

bool is_executable(const fs::path& path) {
  constexpr fs::perms kAny = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  return fs::exists(there) && (there.permissions() & kAny) != fs::perms::none;
}

/// The path at which the shell would find a program; empty if it would not.
fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable(name) ? fs::path(name) : fs::path();
  for (const std::string& folder : split(environment("PATH"), ':'))
    if (const fs::path path = fs::path(folder) / name; is_executable(path)) return path;
  return {};
}

constexpr std::chrono::minutes kMaxCompiling{10};  // g++ takes a minute for the largest forests of the papers

/// Runs a command with its output in a file. It is in our process group, so that Ctrl-C ends it, too.
/// @return  Its exit status; 127 if it cannot be run or was killed.
int run(const std::vector<std::string>& words, const fs::path& output) {
  const platform::Child child = platform::start_program(words, {.output = output});
  return child.error_number == 0 ? platform::wait_for_child(child, kMaxCompiling) : 127;
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
  const ScratchFolder folder;
  const fs::path code = folder.path() / "forest.cpp",
                 library = folder.path() / ("forest" + std::string(platform::kLibrarySuffix)),
                 output = folder.path() / "output.txt";
  write_file_atomically(code, NamedBy::kFernwood, [&](std::ostream& out) { out << source; });
  command.insert(command.end(), {code.string(), "-o", library.string()});
  const int status = run(command, output);
  FW_CHECK(status == 0, Runtime,
           "the compiler " << command[0] << " fails with status " << status << ": " << first_complaint(output)
                           << "; set CXX to another one, or use another --strategy");
  std::string problem;
  void* const loaded = platform::open_library(library, &problem);
  FW_CHECK(loaded != nullptr, Runtime, "compiled code cannot be loaded: " << problem << "; use another --strategy");
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
  FW_CHECK(address != nullptr, Runtime, "compiled code lacks " << name << "; use another --strategy");
  return address;
}

void CompiledCode::Close::operator()(void* library) const { platform::close_library(library); }

}  // namespace fernwood::lab
