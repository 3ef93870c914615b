// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/name_lookup.h"

#include <algorithm>
#include <optional>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether a text matches a part of a pattern with *; a star does not match a slash.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos && text[from] != '/') {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// The text matched by {}; the shortest one if several are possible.
std::optional<std::string> name_in(const std::string& path, std::string_view before, std::string_view after) {
  const bool is_plain = before.find('*') == std::string_view::npos && after.find('*') == std::string_view::npos;
  if (is_plain) {
    if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after))
      return std::nullopt;
    return path.substr(before.size(), path.size() - before.size() - after.size());
  }
  for (std::size_t begin = 0; begin < path.size(); ++begin) {
    if (!matches(before, std::string_view(path).substr(0, begin))) continue;
    for (std::size_t end = begin + 1; end <= path.size(); ++end)
      if (matches(after, std::string_view(path).substr(end))) return path.substr(begin, end - begin);
  }
  return std::nullopt;
}

}  // namespace

bool NaturalOrder::operator()(const std::string& a, const std::string& b) const {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      std::size_t a_end = i, b_end = j;
      while (a_end < a.size() && is_digit(a[a_end])) ++a_end;
      while (b_end < b.size() && is_digit(b[b_end])) ++b_end;
      while (i + 1 < a_end && a[i] == '0') ++i;
      while (j + 1 < b_end && b[j] == '0') ++j;
      if (a_end - i != b_end - j) return a_end - i < b_end - j;
      if (const int order = a.compare(i, a_end - i, b, j, b_end - j); order != 0) return order < 0;
      i = a_end;
      j = b_end;
    } else {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
    }
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a < b;  // numerically equal, as 1 and 01
}

FilesByName match_files(const fs::path& root, const std::string& pattern, const OptionSentence& what) {
  const std::size_t at = pattern.find("{}");
  FW_CHECK(fs::is_directory(root), Data,
           root.string() << ": the folder does not exist; name the one that the patterns begin in");
  const std::string before = pattern.substr(0, at), after = pattern.substr(at + 2);
  // Fixed folders before the name need not be searched.
  const std::string fixed = before.substr(0, before.find('*'));
  const fs::path start = fixed.find('/') == std::string::npos ? root : root / fixed.substr(0, fixed.rfind('/'));
  FilesByName files;
  std::error_code failure;
  for (fs::recursive_directory_iterator entry(start, fs::directory_options::follow_directory_symlink, failure), end;
       !failure && entry != end; entry.increment(failure)) {
    if (!entry->is_regular_file()) continue;
    const std::string path = entry->path().lexically_relative(root).generic_string();
    const std::optional<std::string> name = name_in(path, before, after);
    if (!name) continue;
    const auto [place, is_new] = files.try_emplace(*name, entry->path());
    if (is_new) continue;
    const auto [first, second] = std::minmax(place->second, entry->path());
    throw Error(ErrorKind::kData, second.string() + ": is the frame " + *name + " by the pattern '" + pattern +
                                      "', as " + first.string() +
                                      " is; let {} stand for the part of the path in which they differ");
  }
  FW_CHECK(!files.empty(), Data,
           root.string() << ": no file matches " << what << " '" << pattern
                         << "'; {} stands for the name of a frame, and paths begin in this folder");
  return files;
}

FilesByName match_option(const fs::path& root, const std::string& option, const std::string& pattern) {
  const std::size_t at = pattern.find("{}");
  require_option(at != std::string::npos && pattern.find("{}", at + 2) == std::string::npos, option, in_quotes(pattern),
                 "write {} once, where the names of frames stand, such as 'rgb/{}.png'");
  return match_files(root, pattern, named_option(option));
}

}  // namespace fernwood::dataset
