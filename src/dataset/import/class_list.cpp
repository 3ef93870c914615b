// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/import/class_list.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/json_field.h"
#include "core/json_text.h"
#include "dataset/files/user_text.h"
#include "dataset/frame_file_names.h"
#include "dataset/import/annotations.h"
#include "dataset/import/json_file.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"
#include "fernwood/core/utf8.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::optional<std::uint16_t> whole_number(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(number)
                                                                                     : std::nullopt;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(without_blanks(text.substr(at, end - at)));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

/// The cells of a line of a table: quoted cells may contain separators, and two quotes for one.
std::vector<std::string> cells_of(std::string_view line, char separator) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_quote = line[i] == '"';
    if (is_quoted && is_quote && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (is_quote && (is_quoted || without_blanks(cells.back()).empty()))
      is_quoted = !is_quoted;
    else if (line[i] == separator && !is_quoted)
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  for (std::string& cell : cells) cell = without_blanks(cell);
  return cells;
}

/// Whether a list names 255, the usual number of void, only to say that.
bool is_listed_void(std::uint16_t number, const std::string& name) {
  static const std::set<std::string> kVoidNames = {"void",         "unlabeled", "unlabelled", "not labeled",
                                                   "not labelled", "ignore",    "ignored",    "unknown"};
  return number == 255 && kVoidNames.contains(lower_case(name));
}

class ListBuilder {
 public:
  explicit ListBuilder(fs::path path) : path_(std::move(path)) { config_.labels = LabelEncoding::kIndex; }

  void add(std::uint16_t number, const std::string& name, std::optional<image::Rgb> color = {}) {
    FW_CHECK(numbers_.insert(number).second, Data,
             path_.string() << ": the number " << number << " comes twice; give each class a number of its own");
    FW_CHECK(!name.empty(), Data, path_.string() << ": the class " << number << " has no name; write one");
    if (is_listed_void(number, name)) return;
    std::string own = name;
    while (names_.find(own)) own += "_" + std::to_string(number);  // two classes have the same name
    names_.add(own, color);
    config_.class_indices.push_back(number);
    given_colors_.push_back(color);
  }
  ListedClasses take() {
    FW_CHECK(!names_.classes().empty(), Data,
             path_.string() << ": lists no class; write a line of number and name for each");
    config_.classes = names_.classes();
    return {std::move(config_), std::move(given_colors_), names_.notes()};
  }
  std::uint16_t next() const { return static_cast<std::uint16_t>(numbers_.size()); }

 private:
  fs::path path_;
  DatasetConfig config_;
  std::vector<std::optional<image::Rgb>> given_colors_;
  ClassNames names_;
  std::set<std::uint16_t> numbers_;
};

std::optional<image::Rgb> rgb_of(std::string_view text) {
  const std::vector<std::string_view> parts = parts_of(text, ',');
  if (parts.size() != 3) return std::nullopt;
  std::uint8_t channels[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const auto part = whole_number(parts[i]);
    if (!part || *part > 255) return std::nullopt;
    channels[i] = static_cast<std::uint8_t>(*part);
  }
  return image::Rgb{channels[0], channels[1], channels[2]};
}

/// Index of the first column with one of these names.
std::optional<std::size_t> column_of(const std::vector<std::string_view>& header,
                                     std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (lower_case(std::string(header[i])) == name) return i;
  return std::nullopt;
}

/// False if the first line is not a header.
bool parse_table(const std::vector<std::string_view>& lines, ListBuilder& list, const fs::path& path) {
  for (const char separator : {'\t', ';', ','}) {
    const std::vector<std::string_view> header = parts_of(lines[0], separator);
    const auto number = column_of(header, {"number", "id", "index", "idx", "value", "label_id", "train_id", "label"});
    const auto name = column_of(header, {"name", "class", "class_name", "title", "category", "label"});
    if (header.size() < 2 || !number || !name || number == name) continue;
    const auto r = column_of(header, {"r", "red"}), g = column_of(header, {"g", "green"}),
               b = column_of(header, {"b", "blue"});
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::vector<std::string> cells = cells_of(lines[i], separator);
      const auto value = *number < cells.size() ? whole_number(cells[*number]) : std::nullopt;
      FW_CHECK(value && *name < cells.size(), Data,
               path.string() << ":" << i + 1 << ": has no number from 0 to 65535 under \""
                             << std::string(header[*number]) << "\" and a name; correct the line");
      std::optional<image::Rgb> color;
      if (r && g && b && std::max({*r, *g, *b}) < cells.size()) {
        const std::string shown = cells[*r] + "," + cells[*g] + "," + cells[*b];
        color = rgb_of(shown);
        FW_CHECK(color || shown == ",,", Data,
                 path.string() << ":" << i + 1 << ": the colour is " << shown
                               << "; give red, green and blue from 0 to 255, or leave all three empty");
      }
      list.add(*value, cells[*name], color);
    }
    return true;
  }
  return false;
}

void parse_line(std::string_view line, ListBuilder& list) {
  if (const std::vector<std::string_view> parts = parts_of(line, ':');
      parts.size() >= 2 && !parts[0].empty() && (rgb_of(parts[1]) || (parts.size() >= 3 && parts[1].empty())))
    return list.add(list.next(), std::string(parts[0]), rgb_of(parts[1]));
  constexpr std::string_view kBetween = " \t,;:";
  const std::size_t end = std::min(line.find_first_of(kBetween), line.size());
  const std::size_t name = line.find_first_not_of(kBetween, end);
  if (const auto number = whole_number(line.substr(0, end)); number && name != std::string_view::npos)
    return list.add(*number, std::string(without_blanks(line.substr(name))));
  list.add(list.next(), std::string(line));
}

/// The parser keeps the last value of a key that comes twice. @param text  JSON.
void refuse_repeated_keys(std::string_view text, const fs::path& path) {
  std::set<std::string> keys;
  const auto look = [&](int depth, json::parse_event_t event, const json& value) {
    if (event != json::parse_event_t::key || depth != 1) return true;
    FW_CHECK(keys.insert(value.get<std::string>()).second, Data,
             path.string() << ": the key \"" << value.get<std::string>()
                           << "\" comes twice; give each class a number and a name of its own");
    return true;
  };
  [[maybe_unused]] const json parsed = json::parse(text, look, false);
}

void parse_json_list(const json& root, ListBuilder& list, const fs::path& path) {
  const auto failure = [&] {
    return Error(
        ErrorKind::kData,
        path.string() +
            ": is not a list of names, of {\"id\", \"name\"}, nor an object of numbers and names; write one of these");
  };
  if (root.is_array()) {
    for (const json& item : root) {
      const std::string id = item.is_object() ? text_at(item, member(item, "id").is_null() ? "index" : "id") : "";
      if (item.is_string())
        list.add(list.next(), item.get<std::string>());
      else if (item.is_object() && whole_number(id))
        list.add(*whole_number(id), text_at(item, "name"));
      else
        throw failure();
    }
    return;
  }
  if (!root.is_object()) throw failure();
  for (const auto& [key, value] : root.items()) {
    const auto of_key = whole_number(key);
    if (of_key && value.is_string())
      list.add(*of_key, value.get<std::string>());
    else if (const auto of_value = whole_number(value.is_number() ? json_text(value) : ""))
      list.add(*of_value, key);
    else
      throw failure();
  }
}

}  // namespace

ListedClasses read_class_list(const fs::path& path) { return parse_class_list(read_user_text(path), path); }

ListedClasses parse_class_list(std::string_view text, const fs::path& path) {
  FW_CHECK(is_utf8(text) && text.find('\0') == std::string_view::npos, Data,
           path.string() << ": is not UTF-8 text; save it as that");
  ListBuilder list(path);
  if (lower_case(path.extension().string()) == ".json") {
    constexpr int kMaxDepth = 8;
    const json root =
        parse_json(text, kMaxDepth, "the file", {path.string(), "; write a list of names", "file", ErrorKind::kData});
    if (root.is_object()) refuse_repeated_keys(text, path);
    parse_json_list(root, list, path);
    return list.take();
  }
  std::vector<std::string_view> lines;
  for (const std::string_view line : parts_of(text, '\n'))
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  if (lines.empty() || !parse_table(lines, list, path))
    for (const std::string_view line : lines) parse_line(line, list);
  return list.take();
}

}  // namespace fernwood::dataset
