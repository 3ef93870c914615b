// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace fernwood {

/// Bytes of a whole file. @throws Error(kRuntime) naming the path and the system's reason.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

/// Writes a file so that it appears whole or not at all: `write` fills a temporary file beside `path`, which is synced
/// and then renamed. @throws Error(kRuntime), or kResource when the disk is full; the old file, if any, stays.
void write_file_atomically(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// Checks, before work starts, that a file can be created at `path` or replaced there.
/// @throws Error(kRuntime) naming the folder that is missing or not writable; also for a device or a pipe.
void check_writable(const std::filesystem::path& path);

/// XXH3 of some bytes; to_hex() makes 16 hexadecimal digits of it.
std::uint64_t checksum(const void* data, std::size_t size_bytes);

}  // namespace fernwood
