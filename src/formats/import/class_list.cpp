// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "formats/import/annotations.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/json_field.h"
#include "core/json_text.h"
#include "dataset/files/user_text.h"
#include "dataset/frame_file_names.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::formats {

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

/// What a list tells about a class. Without a number it has that of its place.
struct Entry {
  std::optional<std::uint16_t> number = {};
  std::string name = {};
  std::optional<image::Rgb> color = {};
};

class ListBuilder {
 public:
  explicit ListBuilder(fs::path path) : path_(std::move(path)) { config_.labels = dataset::LabelEncoding::kIndex; }

  void add(const Entry& entry) {
    if (!entry.number && entry.name == "__ignore__") return;  // -1 in lists of labelme
    const std::uint16_t number = entry.number.value_or(static_cast<std::uint16_t>(numbers_.size()));
    FW_CHECK(numbers_.insert(number).second, Data,
             path_.string() << ": the number " << number << " comes twice; give each class a number of its own");
    FW_CHECK(!entry.name.empty(), Data, path_.string() << ": the class " << number << " has no name; write one");
    static const std::set<std::string> kVoidNames = {"void",         "unlabeled", "unlabelled", "not labeled",
                                                     "not labelled", "ignore",    "ignored",    "unknown"};
    // Lists name 255, the usual number of void, only to say that.
    if (number == 255 && kVoidNames.contains(dataset::lower_case(entry.name))) return;
    std::string own = entry.name;
    while (names_.find(own)) own += "_" + std::to_string(number);  // two classes have the same name
    names_.add(own, entry.color);
    config_.class_indices.push_back(number);
    given_colors_.push_back(entry.color);
  }
  ListedClasses take() {
    FW_CHECK(!names_.classes().empty(), Data,
             path_.string() << " lists no class; write a line of number and name for each");
    config_.classes = names_.classes();
    return {std::move(config_), std::move(given_colors_), names_.notes()};
  }

 private:
  fs::path path_;
  dataset::DatasetConfig config_;
  std::vector<std::optional<image::Rgb>> given_colors_;
  ClassNames names_;
  std::set<std::uint16_t> numbers_;
};

/// The columns of a table, by the words of its header.
struct Columns {
  using Column = std::optional<std::size_t>;
  explicit Columns(const std::vector<std::string_view>& header) {
    const auto column_of = [&](std::initializer_list<std::string_view> names) -> Column {
      for (const std::string_view name : names)
        for (std::size_t i = 0; i < header.size(); ++i)
          if (dataset::lower_case(std::string(header[i])) == name) return i;
      return std::nullopt;
    };
    number = column_of({"number", "id", "index", "idx", "value", "label_id", "train_id", "class_id", "label"});
    name = column_of({"name", "class", "class_name", "title", "category", "label"});
    if (number == name) number.reset();
    if (const Column color = column_of({"color", "colour", "color_rgb", "rgb", "hex"})) colors = {color};
    const Column r = column_of({"r", "red"}), g = column_of({"g", "green"}), b = column_of({"b", "blue"});
    if (r && g && b) colors = {r, g, b};
  }
  std::size_t num_known() const { return colors.size() + (number ? 1 : 0) + (name ? 1 : 0); }

  Column number, name;
  std::vector<Column> colors;  ///< One, three, or none.
};

/// @param place  File and line, for messages.
Entry entry_of_cells(const std::vector<std::string>& cells, const Columns& columns, const std::string& place) {
  const auto cell = [&](const Columns::Column& at) { return at && *at < cells.size() ? cells[*at] : std::string(); };
  Entry entry{whole_number(cell(columns.number)), cell(columns.name)};
  FW_CHECK((entry.number || !columns.number) && !entry.name.empty(), Data,
           place << " has no number from 0 to 65535 or no name in its column; correct the line");
  const std::string color = join(columns.colors, ",", cell);
  entry.color = color_of_text(color);
  FW_CHECK(entry.color || color.find_first_not_of(',') == std::string::npos, Data,
           place << ": the colour is " << color << "; use red, green and blue from 0 to 255, or leave it empty");
  return entry;
}

/// The separator of a table; empty if the first line is not a header.
std::optional<char> separator_of(std::string_view header) {
  for (const char separator : {'\t', ';', ',', ':'})
    if (const Columns columns(parts_of(header, separator)); columns.name && columns.num_known() > 1) return separator;
  return std::nullopt;
}

/// A line without a header: numbers, a name, and numbers.
struct Line {
  explicit Line(std::string_view text) : whole(text) {
    constexpr std::string_view kBetween = " \t,;:";
    for (std::size_t at = text.find_first_not_of(kBetween); at < text.size();) {
      const std::size_t stop = std::min(text.find_first_of(kBetween, at), text.size());
      words.push_back(text.substr(at, stop - at));
      at = text.find_first_not_of(kBetween, stop);
    }
    while (begin + 1 < words.size() && whole_number(words[begin])) ++begin;
    for (end = words.size(); end > begin + 1 && whole_number(words[end - 1]);) --end;
  }
  std::size_t num_after() const { return words.size() - end; }
  std::string name() const {
    if (begin + num_after() == 0) return std::string(whole);
    return std::string(without_blanks({words[begin].data(), words[end - 1].data() + words[end - 1].size()}));
  }
  std::vector<std::string> cells() const {
    std::vector<std::string> cells(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(begin));
    cells.push_back(name());
    cells.insert(cells.end(), words.begin() + static_cast<std::ptrdiff_t>(end), words.end());
    return cells;
  }
  /// The header that a table of such lines would have; empty: the numbers may mean anything.
  std::string_view header() const {
    static const std::map<std::pair<std::size_t, std::size_t>, std::string_view> kHeaders = {
        {{0, 0}, "name"},
        {{1, 0}, "number,name"},
        {{0, 1}, "name,number"},
        {{3, 0}, "r,g,b,name"},
        {{0, 3}, "name,r,g,b"},
        {{4, 0}, "number,r,g,b,name"},
        {{0, 4}, "name,number,r,g,b"},
        {{1, 3}, "number,name,r,g,b"},
        {{3, 1}, "r,g,b,name,number"}};
    const auto known = kHeaders.find({begin, num_after()});
    const bool has_numbers = words.size() > 2 && std::any_of(words.begin() + static_cast<std::ptrdiff_t>(begin),
                                                             words.begin() + static_cast<std::ptrdiff_t>(end),
                                                             [](auto word) { return whole_number(word).has_value(); });
    const bool is_unclear = has_numbers && (has_separators() || whole_number(words[begin]));
    return known == kHeaders.end() || is_unclear ? "" : known->second;
  }
  bool has_separators() const { return whole.find_first_of("\t,;:") != std::string_view::npos; }
  /// As a whole, such as "table 2".
  bool may_be_name() const {
    return begin == 0 && (num_after() == 0 ? !header().empty() : num_after() == 1 && !has_separators());
  }

  std::string_view whole;
  std::vector<std::string_view> words;
  std::size_t begin = 0, end = 0;  ///< The words of the name.
};

/// Lines without a header, which must be of one form.
void parse_lines(const std::vector<std::string_view>& texts, ListBuilder& list, const fs::path& path) {
  const std::vector<Line> lines(texts.begin(), texts.end());
  std::set<std::string> names;
  for (const Line& line : lines) names.insert(line.name());
  const auto has_no_number = [](const Line& line) { return line.header() == "name"; };
  const bool are_names = std::ranges::all_of(lines, &Line::may_be_name) &&
                         (names.size() < lines.size() || std::any_of(lines.begin() + 1, lines.end(), has_no_number));
  const std::string_view header = are_names ? "name" : lines.back().header();
  for (const Line& line : lines) {
    const std::string place = path.string() + ": the line \"" + printable(std::string(line.whole.substr(0, 80))) + "\"";
    FW_CHECK(
        are_names || (!header.empty() && line.header() == header), Data,
        place << " is unlike the last one, or its numbers may mean anything; begin the list with a line that names "
                 "its columns, such as number,name,r,g,b or name alone");
    list.add(entry_of_cells(are_names ? std::vector{std::string(line.whole)} : line.cells(),
                            Columns(parts_of(header, ',')), place));
  }
}

void parse_text_list(std::vector<std::string_view> lines, ListBuilder& list, const fs::path& path) {
  if (lines.empty()) return;
  if (const auto parts = parts_of(lines[0], ':');  // CVAT's labelmap.txt, whose header is a comment
      !parts[0].empty() && parts.size() > 1 && (parts.size() > 2 || color_of_text(parts[1])))
    lines.insert(lines.begin(), "label:color_rgb");
  if (const auto separator = separator_of(lines[0])) {
    const Columns columns(parts_of(lines[0], *separator));
    for (std::size_t i = 1; i < lines.size(); ++i)
      list.add(entry_of_cells(cells_of(lines[i], *separator), columns, path.string() + ":" + std::to_string(i + 1)));
    return;
  }
  const std::vector<std::string_view> words = parts_of(lines[0], ' ');
  const Columns columns(words);
  if (columns.name && columns.num_known() == words.size()) lines.erase(lines.begin());  // "name", or with blanks
  if (!lines.empty()) parse_lines(lines, list, path);
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

/// @param key  A number, a name or a colour; empty in a list.
Entry entry_of_json(const std::string& key, const json& value) {
  Entry entry{whole_number(key), key, color_of_text(key)};
  if (entry.number || entry.color) entry.name.clear();
  if (value.is_string() && entry.name.empty()) {
    entry.name = value.get<std::string>();
  } else if (value.is_object()) {
    for (const char* own : {"id", "index", "number", "value"})
      if (!entry.number) entry.number = whole_number(text_at(value, own));
    for (const char* own : {"color", "rgb"})
      if (!entry.color) entry.color = color_of_text(json_text(member(value, own)));
    for (const char* own : {"name", "title", "class"})
      if (const std::string name = text_at(value, own); entry.name.empty()) entry.name = name;
  } else if (const auto color = color_of_text(json_text(value))) {
    entry.color = color;
  } else if (!entry.number) {
    entry.number = whole_number(json_text(value));
    if (!entry.number) entry.name.clear();
  }
  return entry;
}

void parse_json_list(const json& root, ListBuilder& list, const fs::path& path) {
  for (const char* within : {"classes", "labels", "categories", "name_map"})
    if (const json& inner = member(root, within); inner.is_structured()) return parse_json_list(inner, list, path);
  for (const auto& [key, value] : root.items()) {
    const Entry entry = entry_of_json(root.is_object() ? key : "", value);
    FW_CHECK(root.is_structured() && !entry.name.empty() && (root.is_array() || entry.number || entry.color), Data,
             path.string() << " is not a list of names, of {\"id\", \"name\", \"color\"}, nor an object of numbers or "
                              "colours and names; write one of these");
    list.add(entry);
  }
}

}  // namespace

std::vector<dataset::FrameFiles> as_truth(const dataset::FilesByName& labels) {
  std::vector<dataset::FrameFiles> frames;
  for (const auto& [name, file] : labels) frames.emplace_back().truth = file;
  return frames;
}

std::optional<image::Rgb> color_of_text(std::string_view text) {
  std::vector<std::uint32_t> parts;
  constexpr std::string_view kBetween = " \t,;()[]\"";
  for (std::size_t at = text.find_first_not_of(kBetween); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const bool is_hex = text[at] == '#' && end - at == 7;
    const auto [stop, failure] =
        std::from_chars(text.data() + at + (is_hex ? 1 : 0), text.data() + end, parts.emplace_back(), is_hex ? 16 : 10);
    if (failure != std::errc() || stop != text.data() + end) return std::nullopt;
    if (is_hex)
      return image::Rgb{static_cast<std::uint8_t>(parts.back() >> 16), static_cast<std::uint8_t>(parts.back() >> 8),
                        static_cast<std::uint8_t>(parts.back())};
    at = text.find_first_not_of(kBetween, end);
  }
  if ((parts.size() != 3 && parts.size() != 4) || std::ranges::max(parts) > 255) return std::nullopt;
  return image::Rgb{static_cast<std::uint8_t>(parts[0]), static_cast<std::uint8_t>(parts[1]),
                    static_cast<std::uint8_t>(parts[2])};
}

ListedClasses read_class_list(const fs::path& path) { return parse_class_list(dataset::read_user_text(path), path); }

ListedClasses parse_class_list(std::string_view text, const fs::path& path) {
  FW_CHECK(is_utf8(text) && text.find('\0') == std::string_view::npos, Data,
           path.string() << " is not UTF-8 text; save it as that");
  ListBuilder list(path);
  if (dataset::lower_case(path.extension().string()) == ".json") {
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
  parse_text_list(std::move(lines), list, path);
  return list.take();
}

}  // namespace fernwood::formats
