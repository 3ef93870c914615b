// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/choices.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/json_field.h"
#include "core/json_text.h"
#include "core/machine.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxRemembered = 1000;

std::filesystem::path choices_path() {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "choices.json";
}

/// All stored choices; an empty object for text that is not valid.
json parse_choices(std::string_view text) {
  constexpr int kMaxDepth = 3;
  try {
    json choices = parse_json(text, kMaxDepth, "the file", loading(""));
    return choices.is_object() ? choices : json::object();
  } catch (const Error&) {
    return json::object();
  }
}

}  // namespace

std::string read_choices() {
  const std::filesystem::path path = choices_path();
  std::error_code unreadable;
  if (path.empty() || !std::filesystem::exists(path, unreadable)) return "";
  try {
    return read_text(path);
  } catch (const Error&) {
    return "";
  }
}

std::optional<TunedChoice> find_choice(std::string_view choices, const std::string& key) {
  const json all = parse_choices(choices);
  const auto found = all.find(key);
  if (found == all.end() || !found->is_object()) return {};
  TunedChoice choice;
  for (const auto& [name, value] : found->items())
    if (value.is_string()) choice[name] = value.get<std::string>();
  return choice;
}

void remember_choice(const std::string& key, const TunedChoice& choice) {
  const std::filesystem::path path = choices_path();
  if (path.empty()) return;
  json all = parse_choices(read_choices());
  if (all.size() >= kMaxRemembered) all = json::object();
  all[key] = choice;
  try {
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    write_file_atomically(path, NamedBy::kUser, [&](std::ostream& out) { out << json_text(all, 1) << "\n"; });
  } catch (const Error&) {
    // Ignored: the next run measures again.
  }
}

}  // namespace fernwood
