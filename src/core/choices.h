// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fernwood {

// What this machine was found to do best, in cache_folder()/choices.json, so that a later run need not measure it
// again. It is a help only: a file that is damaged, foreign or cannot be written is as good as none.

/// One such choice: names and values.
using TunedChoice = std::map<std::string, std::string>;

/// The file's text; empty when there is nothing that can be read.
std::string read_choices();

/// What the text says of a key; nothing when it is no such text, or says nothing of it. Values that are no strings are
/// left out.
std::optional<TunedChoice> find_choice(std::string_view choices, const std::string& key);

/// Writes a choice down, in place of what was known of that key.
void remember_choice(const std::string& key, const TunedChoice& choice);

}  // namespace fernwood
