// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Pictures and frames, found by names that people and other programs wrote down.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fernwood/core/error.h"

namespace fernwood::dataset {

/// Finds names by other spellings of them: with either slash, with percent escapes, in the other Unicode form, in
/// another case, as a URL, below other folders, with the prefix that upload forms add ("1a2b3c4d-") or without the
/// ending of a picture.
class NameLookup {
 public:
  /// @param names  Of frames, or of files below the folder `root`.
  explicit NameLookup(std::vector<std::string> names, const std::string& root = "");

  /// The names that are nearest to a spelling: of those with its last part, the ones that share the most folders before
  /// it. Several: the spelling does not tell them apart.
  std::vector<std::string> find(const std::string& spelling) const;

 private:
  std::vector<std::string> nearest(const std::string& path) const;

  std::vector<std::string> names_;  // sorted
  std::string root_;
  std::map<std::string, std::vector<std::size_t>> by_last_, by_frame_;  // [folded]
};

/// The one name of a spelling; empty if there is none. @throws Error(kData) for several, which begins with `place`.
std::string find_one(const NameLookup& lookup, const std::string& spelling, const std::string& place,
                     const OptionSentence& remedy);

/// What a list says, by the names of frames; names of no frame are kept. @throws Error(kData) for a spelling of several
/// frames, and for two spellings of one frame of which the list says different things.
template <typename Value>
std::map<std::string, Value> by_frame(const std::filesystem::path& list, const std::map<std::string, Value>& listed,
                                      const std::vector<std::string>& frames) {
  const NameLookup lookup(frames);
  std::map<std::string, Value> result;
  for (const auto& [spelling, value] : listed) {
    const std::string frame = find_one(lookup, spelling, list.string(), "write the name of the frame itself");
    const auto place = result.emplace(frame.empty() ? spelling : frame, value).first;
    FW_CHECK(place->second == value, Data,
             list.string() << " names the frame " << frame << " also as " << spelling << "; keep one of the two lines");
  }
  return result;
}

/// "1, 2, 3 and 4 more".
std::string some_of(const std::vector<std::string>& names);

// Files of frames by patterns: "rgb/{}.jpg" and "depth/{}.png".

/// [name] The files below a folder that match a pattern: {} matches the frame's name, which may span folders; * matches
/// any text within one folder. Sorted by name, with numbers compared by value, so that 2 precedes 10.
struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const;
};
using FilesByName = std::map<std::string, std::filesystem::path, NaturalOrder>;

/// @param pattern  With one {}. @param what  Describes the pattern in messages. @throws Error(kData) if no file
/// matches, or two files have one name.
FilesByName match_files(const std::filesystem::path& root, const std::string& pattern, const OptionSentence& what);
/// For a pattern given as an option. @throws OptionError for a pattern without {} or with several, Error(kData).
FilesByName match_option(const std::filesystem::path& root, const std::string& option, const std::string& pattern);

}  // namespace fernwood::dataset
