// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace fernwood::dataset {

/// Reads a text file written by a user or another program, without the byte order mark that some editors insert, which
/// would become part of the first name or number.
std::string read_user_text(const std::filesystem::path& path);

/// The numbers that are left in a text. They may be infinite or NaN, which marks frames that were not located.
/// @param place  For messages. @throws Error(kData) for a word that is not a number.
std::vector<double> numbers_left(std::istream& words, const std::string& place);
/// All numbers of a text file, such as a matrix of intrinsics. @throws Error(kData) for fewer than `least`, a number
/// that is not finite, or a word that is not a number.
std::vector<double> numbers_of_file(const std::filesystem::path& path, std::size_t least);

}  // namespace fernwood::dataset
