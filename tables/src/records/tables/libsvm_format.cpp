// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <limits>

#include "fernwood/core/error.h"
#include "records/tables/row_format.h"

namespace fernwood::records {

namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view without_comment(std::string_view text) { return text.substr(0, text.find('#')); }

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The index before the last colon: the largest one if indices increase as required.
std::size_t last_index(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::size_t begin = colon, index = 0;
  if (colon == std::string_view::npos) return 0;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  std::from_chars(text.data() + begin, text.data() + colon, index);
  return index;
}

class LibsvmFormat : public RowFormat {
 public:
  LibsvmFormat(const std::string& file, const TableOptions& options)
      : RowFormat(options),
        file_(file),
        names_(options.attributes),
        absent_(options.absent_is_unknown ? std::numeric_limits<float>::quiet_NaN() : 0.0f),
        num_attributes_(names_.size()) {
    FW_CHECK(options.text_attributes.empty(), Data,
             file << " is a LIBSVM file, which has numbers only, and the model has strings in column "
                  << shown(names_[options.text_attributes[0]]) << "; use a CSV file");
  }

  bool has_record(const TextLine& line) const override {
    return line.text[line.text.find_first_not_of(kBlanks)] != '#';
  }

  std::size_t count_attributes(std::span<const TextLine> lines) override {
    if (names_.empty())
      for (const TextLine& line : lines)
        num_attributes_ = std::max(num_attributes_, std::min(last_index(without_comment(line.text)), kMaxAttributes));
    return num_attributes_;
  }

  std::string attribute_name(std::size_t attribute) const override {
    return names_.empty() ? std::to_string(attribute + 1) : names_[attribute];
  }

  void parse(const TextLine& line, std::span<float> values, double* exact, std::string& label) const override {
    std::string_view rest = without_comment(line.text);
    take_label(line, rest, label);
    for (std::size_t a = 0; a < values.size(); ++a) set_value(absent_, a, values, exact);
    std::size_t last = 0;
    const char *at = rest.data(), *const end = at + rest.size();
    for (;;) {
      while (at < end && (*at == ' ' || *at == '\t')) ++at;
      if (at == end) return;
      const char* const entry = at;
      std::size_t index = 0;
      for (; at < end && at < entry + 9 && is_digit(*at); ++at)
        index = index * 10 + static_cast<std::size_t>(*at - '0');
      if (at == entry || at == end || *at != ':') refuse_entry(line, entry, end);
      check_index(line, index, last, values.size());
      last = index;
      const char* const number = ++at;
      at = parse_value(at, end, index - 1, values, exact);
      if (at == nullptr || (at < end && *at != ' ' && *at != '\t')) refuse_value(line, index, number, end);
    }
  }

 private:
  void take_label(const TextLine& line, std::string_view& rest, std::string& label) const {
    std::string_view after = rest;
    const std::string_view word = take_word(after);
    label.clear();
    if (word.find(':') == std::string_view::npos) {
      FW_CHECK(word.find(',') == std::string_view::npos, Data,
               file_ << ":" << line.number << ": the label is " << shown(word)
                     << ", which is several; a record has one class");
      label = word;
      rest = after;
    }
    after = rest;
    if (take_word(after).starts_with("qid:")) rest = after;
  }

  void check_index(const TextLine& line, std::size_t index, std::size_t last, std::size_t num_attributes) const {
    if (index > last && index <= num_attributes) return;
    const std::string place = file_ + ":" + std::to_string(line.number);
    FW_CHECK(index > 0, Data, place << " has the index 0; LIBSVM counts attributes from 1, add 1 to each index");
    FW_CHECK(index > last, Data,
             place << " has index " << index << " behind " << last << "; indices must increase, sort them");
    FW_CHECK(names_.empty(), Data,
             place << " has index " << index << ", but the model knows attributes 1 to " << names_.size()
                   << "; pass data with the attributes that it was trained on");
    FW_CHECK(index > kMaxAttributes, Data,
             place << " has index " << index << " before a smaller one; indices must increase, sort them");
    FW_CHECK(false, Data,
             place << " has index " << index << "; records have at most " << kMaxAttributes << " attributes");
  }

  [[noreturn]] void refuse_entry(const TextLine& line, const char* entry, const char* end) const {
    std::string_view text(entry, static_cast<std::size_t>(end - entry));
    throw Error(ErrorKind::kData,
                file_ + ":" + std::to_string(line.number) + " has " + shown(take_word(text)) +
                    " where an entry index:value is due; write LIBSVM lines as label index:value ...");
  }

  [[noreturn]] void refuse_value(const TextLine& line, std::size_t index, const char* number, const char* end) const {
    const std::string_view text(number, static_cast<std::size_t>(end - number));
    refuse_number(file_, line, "attribute " + std::to_string(index), text.substr(0, text.find_first_of(kBlanks)));
  }

  const std::string file_;
  const std::vector<std::string> names_;
  const float absent_;
  std::size_t num_attributes_;
};

}  // namespace

std::unique_ptr<RowFormat> make_libsvm_format(const std::string& file, const TableOptions& options) {
  return std::make_unique<LibsvmFormat>(file, options);
}

}  // namespace fernwood::records
