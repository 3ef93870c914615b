// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "core/model_mutator.h"
#include "fuzz/target.h"

namespace fernwood::fuzz {

const Target& find_target(std::string_view name) {
  std::string known;
  for (const Target& target : targets()) {
    if (target.name == name) return target;
    known += (known.empty() ? "" : ", ") + std::string(target.name);
  }
  throw Error(ErrorKind::kUsage, "there is no target \"" + std::string(name) + "\" to fuzz; there are " + known);
}

MemoryFile::MemoryFile(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("fuzz", 0)) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t count = ::write(descriptor_, data + at, size - at);
    law(count > 0, "a file in memory cannot be written");
    at += static_cast<std::size_t>(count);
  }
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

const std::filesystem::path& scratch_folder() {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("fernwood_fuzz_" + std::to_string(::getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Folder folder;
  return folder.path;
}

void write_bytes(const std::filesystem::path& path, const std::uint8_t* data, std::size_t size) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
}

namespace {

/// Whether a file has the parts that signing and damaging need.
bool has_parts(const Bytes& bytes) {
  ModelPrefix prefix;
  if (bytes.size() < sizeof(prefix)) return false;
  std::memcpy(&prefix, bytes.data(), sizeof(prefix));
  return prefix.header_bytes <= bytes.size() - sizeof(prefix);
}

/// Whether a header is a JSON object with a valid list of arrays.
bool has_arrays(const std::string& header) {
  constexpr int kDeepest = 64;  // dump() is recursive
  bool is_deep = false;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    is_deep = is_deep || depth > kDeepest;
    return !is_deep;
  };
  const nlohmann::json document = nlohmann::json::parse(header, watch, false);
  if (is_deep || !document.is_object() || !document.contains("arrays") || !document["arrays"].is_array()) return false;
  for (const nlohmann::json& array : document["arrays"])
    if (!array.is_object() || !array.contains("offset") || !array["offset"].is_number_unsigned() ||
        !array.contains("size_bytes") || !array["size_bytes"].is_number_unsigned())
      return false;
  return true;
}

}  // namespace

Bytes sign_model(const Bytes& bytes) {
  if (!has_parts(bytes)) return bytes;
  ModelParts parts(bytes);
  try {
    if (has_arrays(parts.header)) parts.sign_arrays();
  } catch (const nlohmann::json::exception&) {
    // Not UTF-8: returned without new checksums of the arrays.
  }
  return parts.bytes();
}

Bytes damage_model(const Bytes& bytes, std::uint32_t seed) {
  if (!has_parts(bytes) || !has_arrays(ModelParts(bytes).header)) return bytes;
  try {
    return Mutator(seed).mutate(bytes);
  } catch (const nlohmann::json::exception&) {
    return bytes;
  }
}

}  // namespace fernwood::fuzz
