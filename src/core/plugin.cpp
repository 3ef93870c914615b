// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/plugin.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/platform.h"
#include "fernwood/core/text.h"

namespace fernwood {

namespace {

namespace fs = std::filesystem;

bool is_plain(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

void* function_of(void* library, const fs::path& file, const char* function) {
  void* const address = platform::find_in_library(library, function);
  FW_CHECK(address != nullptr, Runtime,
           file.string() << ": the plug-in lacks the function " << function << "; build it against this fernwood");
  return address;
}

}  // namespace

void* find_plugin_function(const std::string& plugin, const char* function) {
  if (!is_plain(plugin)) return nullptr;
  for (const fs::path& folder : part_folders("plugins")) {
    const fs::path file = folder / ("fernwood_" + plugin + std::string(platform::kLibrarySuffix));
    std::error_code unreadable;
    if (!fs::exists(file, unreadable)) continue;
    std::string problem;
    void* const library = platform::open_library(file, &problem);
    FW_CHECK(library != nullptr, Runtime,
             file.string() << ": the plug-in cannot be loaded: " << problem << "; install what it needs, or build it "
                           << "again");
    const auto version = reinterpret_cast<const char* (*)()>(function_of(library, file, "fernwood_plugin_version"));
    FW_CHECK(version() == build_info().plugin_version, Runtime,
             file.string() << ": the plug-in is of fernwood " << version() << ", this is "
                           << build_info().plugin_version << "; build it again");
    return function_of(library, file, function);
  }
  return nullptr;
}

std::vector<std::string> plugins_with(const char* function) {
  constexpr std::string_view kStart = "fernwood_", kEnd = platform::kLibrarySuffix;
  std::set<std::string> names;
  for (const fs::path& folder : part_folders("plugins")) {
    std::error_code unreadable;
    for (fs::directory_iterator file(folder, unreadable), end; !unreadable && file != end; file.increment(unreadable)) {
      const std::string name = file->path().filename().string();
      if (name.size() > kStart.size() + kEnd.size() && name.starts_with(kStart) && name.ends_with(kEnd))
        names.insert(name.substr(kStart.size(), name.size() - kStart.size() - kEnd.size()));
    }
  }
  std::vector<std::string> having;
  for (const std::string& name : names) {
    try {
      if (find_plugin_function(name, function) != nullptr) having.push_back(name);
    } catch (const Error&) {  // the function or one of its dependencies is missing
    }
  }
  return having;
}

}  // namespace fernwood
