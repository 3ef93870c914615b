// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/frame_groups.h"

#include <map>
#include <sstream>

#include "fernwood/core/error.h"
#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace {

/// The group of each frame in the file.
std::map<std::string, std::string> read_lines(const std::filesystem::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  std::map<std::string, std::string> group_of;
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string frame, group, rest;
    if (!(words >> frame) || frame.front() == '#') continue;
    FW_CHECK(words >> group && !(words >> rest), Data,
             path.string() << ":" << number
                           << ": is not the name of a frame and of its group; write both with a space between");
    FW_CHECK(group_of.emplace(frame, group).second, Data,
             path.string() << ":" << number << ": the frame " << frame << " has a group already; name it once");
  }
  return group_of;
}

}  // namespace

std::vector<std::uint32_t> read_groups(const std::filesystem::path& path, const std::vector<std::string>& names) {
  const std::map<std::string, std::string> group_of = read_lines(path);
  std::map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> groups;
  for (const std::string& name : names) {
    const auto found = group_of.find(name);
    FW_CHECK(found != group_of.end(), Data,
             path.string() << ": the frame " << name << " has no group; add a line \"" << name << " GROUP\"");
    groups.push_back(numbers.emplace(found->second, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return groups;
}

}  // namespace fernwood::dataset
