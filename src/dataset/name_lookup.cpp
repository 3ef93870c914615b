// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/name_lookup.h"

#include <utf8proc.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kUploadPrefix = 9;  // "1a2b3c4d-"

/// A text in which case and Unicode form make no difference. Not UTF-8 itself: in lower case.
std::string folded(std::string_view text) {
  utf8proc_uint8_t* found = nullptr;
  const auto size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &found, static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(found, std::free);
  return size < 0 ? lower_case(std::string(text))
                  : std::string(reinterpret_cast<const char*>(found), static_cast<std::size_t>(size));
}

/// The names between slashes of either kind; at least one, which may be empty.
std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find_first_of("/\\", begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (!part.empty() && part != ".") parts.push_back(part);
    begin = end + 1;
  }
  if (parts.empty()) parts.emplace_back();
  return parts;
}

/// Undoes escapes such as %20 (RFC 3986, 2.1).
std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char *const at = text.data() + i + 1, *const end = at + 2;
    const bool is_escape = text[i] == '%' && text.size() - i > 2 && std::from_chars(at, end, code, 16).ptr == end;
    plain += is_escape ? static_cast<char>(code) : text[i];
    i += is_escape ? 2 : 0;
  }
  return plain;
}

std::string without_upload_prefix(const std::string& name) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const bool has_prefix = name.size() > kUploadPrefix && name[kUploadPrefix - 1] == '-' &&
                          std::all_of(name.begin(), name.begin() + kUploadPrefix - 1, is_hex);
  return has_prefix ? name.substr(kUploadPrefix) : name;
}

/// The frame that a file belongs to by its name. Empty: none.
std::string frame_of_file(const std::string& name, bool may_be_of_another_role) {
  if (const auto native = parse_frame_file_name(name))
    return may_be_of_another_role || native->role == FrameRole::kColor ? native->frame : "";
  const std::filesystem::path path(name);
  return naming_of(FrameRole::kColor).has(lower_case(path.extension().string())) ? path.stem().string() : "";
}

}  // namespace

NameLookup::NameLookup(std::vector<std::string> names, const std::string& root)
    : names_(std::move(names)), root_(root) {
  std::ranges::sort(names_);
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string last(parts_of(names_[i]).back()), frame = frame_of_file(last, false);
    by_last_[folded(last)].push_back(i);
    if (!frame.empty()) by_frame_[folded(frame)].push_back(i);
  }
}

std::vector<std::string> NameLookup::find(const std::string& spelling) const {
  const std::string before_query = spelling.substr(0, spelling.find('?'));
  for (const std::string& path : {spelling, before_query, unescaped(spelling), unescaped(before_query)})
    if (std::vector<std::string> found = nearest(path); !found.empty()) return found;
  return {};
}

std::vector<std::string> NameLookup::nearest(const std::string& path) const {
  if (std::ranges::binary_search(names_, path)) return {path};
  const auto parts = parts_of(path);
  const std::string last(parts.back()), plain = without_upload_prefix(last);
  const std::vector<std::size_t>* found = nullptr;
  for (const auto& [table, key] :
       {std::pair(&by_last_, last), std::pair(&by_last_, frame_of_file(last, true)), std::pair(&by_frame_, last),
        std::pair(&by_last_, plain), std::pair(&by_frame_, plain)})
    if (const auto place = table->find(folded(key)); found == nullptr && place != table->end()) found = &place->second;
  if (found == nullptr) return {};
  std::vector<std::string> best;
  std::tuple<std::size_t, bool, std::size_t> most;  // equal parts, whether these are all, equal parts byte by byte
  for (const std::size_t i : *found) {
    const std::string whole = root_ + "/" + names_[i];
    const auto own = parts_of(whole);
    std::size_t num_equal = 1, num_same = own.back() == last ? 1 : 0;
    for (; num_equal < std::min(own.size(), parts.size()); ++num_equal) {
      const std::string_view a = own[own.size() - 1 - num_equal], b = parts[parts.size() - 1 - num_equal];
      if (a != b && folded(a) != folded(b)) break;
      num_same += a == b ? 1 : 0;
    }
    const bool is_all = num_equal == parts.size() && num_equal == parts_of(names_[i]).size();
    const std::tuple rank(num_equal, is_all, num_same);
    if (rank > most) best.clear();
    if (rank >= most) best.push_back(names_[i]), most = rank;
  }
  return best;
}

std::string find_one(const NameLookup& lookup, const std::string& spelling, const std::string& place,
                     const OptionSentence& remedy) {
  const std::vector<std::string> found = lookup.find(spelling);
  FW_CHECK(found.size() < 2, Data,
           place << ": " << printable(spelling) << " may be each of " << found.size() << " ("
                 << printable(some_of(found)) << "); " << remedy);
  return found.empty() ? "" : found[0];
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxNamed = 3;
  std::string text = join(std::span(names).first(std::min(names.size(), kMaxNamed)));
  return names.size() > kMaxNamed ? text + " and " + std::to_string(names.size() - kMaxNamed) + " more" : text;
}

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
  FW_CHECK(fs::is_directory(root), Data, root.string() << " does not exist; name the one that the patterns begin in");
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
    throw Error(ErrorKind::kData, second.string() + " is the frame " + *name + " by the pattern '" + pattern +
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
