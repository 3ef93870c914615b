// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fernwood::records {

/// Takes the field that `rest` begins with, not the separator behind it: without blanks around it or quotes, two quotes
/// inside are one.
/// @param field  Written: into `rest` or `buffer`. @return False when a quote is not closed.
bool take_field(std::string_view& rest, char separator, std::string_view& field, std::string& buffer);

/// All fields of a line. @return False when a quote is not closed.
bool split_fields(std::string_view text, char separator, std::vector<std::string>& fields);

/// Empty, NA, nan, null or ?, in any case.
bool is_unknown(std::string_view field);

/// The separator of a line: the first of tab, semicolon and comma that occurs outside quotes; a comma if none does.
char find_separator(std::string_view text);

}  // namespace fernwood::records
