// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fernwood {

// The autotune cache in cache_folder()/choices.json: choices that were fastest on this machine, so that a later run
// need not measure them again. It is optional: a file that is damaged, foreign or not writable is treated as empty.

/// One choice: names and values.
using TunedChoice = std::map<std::string, std::string>;

/// Contents of the file; empty when it cannot be read.
std::string read_choices();

/// The choice stored for a key; empty when the text is not valid or lacks the key. Values that are not strings are left
/// out.
std::optional<TunedChoice> find_choice(std::string_view choices, const std::string& key);

/// Stores a choice, replacing an earlier one of the same key.
void remember_choice(const std::string& key, const TunedChoice& choice);

}  // namespace fernwood
