// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace fernwood::records {

/// Numbers the classes that labels name. Labels that are the same number are the same class.
class ClassNumbers {
 public:
  /// @param names  Classes that there are; empty: as labels come.
  explicit ClassNumbers(const std::vector<std::string>& names);
  /// The class of a label: kNoClass when it is empty; a new one is added where classes are not given.
  /// @return False for a label of none of the given classes.
  bool find(const std::string& label, std::int32_t& number);
  const std::vector<std::string>& names() const { return names_; }
  std::string list() const;  ///< For messages: the first names.

 private:
  bool fixed_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> numbers_;  ///< Of labels as they were written, and of their key.
};

/// [class] Places in order: by value when all names are numbers, else by text.
std::vector<std::int32_t> sorted_places(const std::vector<std::string>& names);

}  // namespace fernwood::records
