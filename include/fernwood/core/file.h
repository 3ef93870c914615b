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

/// XXH3 of some bytes, as 16 hexadecimal digits or as a number.
std::uint64_t checksum(const void* data, std::size_t size_bytes);
std::string to_hex(std::uint64_t value);

/// Parses "900MB", "4GiB", "1.5 GB" or a plain number of bytes. @throws Error(kUsage).
std::size_t parse_bytes(const std::string& text);
/// For people: "1.5 GiB".
std::string format_bytes(std::size_t size_bytes);
/// Memory that programs may still take on this machine, in bytes; 0 when the system does not say.
std::size_t available_memory_bytes();

}  // namespace fernwood
