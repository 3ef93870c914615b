// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/user_text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/text.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

std::string read_user_text(const std::filesystem::path& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::string text = read_text(path);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

std::vector<double> numbers_left(std::istream& words, const std::string& place) {
  std::vector<double> numbers;
  std::string word;
  while (words >> word) {
    // An infinity or NaN as Windows writes it, such as -1.#INF.
    const bool is_windows_nan = word.find("#IN") != std::string::npos || word.find("#QNAN") != std::string::npos;
    const std::optional<double> number = is_windows_nan ? NAN : number_of_word(word);
    FW_CHECK(number, Data,
             place << " has \"" << word
                   << "\", which is not a number; write numbers with a decimal point and without a unit, such as 1.5");
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<double> numbers_of_file(const fs::path& path, std::size_t least) {
  TextInput words(read_user_text(path));
  std::vector<double> numbers = numbers_left(words, path.string());
  FW_CHECK(std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); }), Data,
           path.string() << " has a number that is not finite; copy it again from its source");
  FW_CHECK(numbers.size() >= least, Data,
           path.string() << " has " << numbers.size() << " numbers, " << least
                         << " were expected; copy it again from its source");
  return numbers;
}

}  // namespace fernwood::dataset
