// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.

// Runs one target, `--target=NAME`, with libFuzzer; with `--seeds=FOLDER` writes its seeds and exits.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "fuzz/target.h"

using fernwood::fuzz::Bytes, fernwood::fuzz::Target;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

const Target* chosen = nullptr;

void write_seeds(const Target& target, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (const Bytes& seed : target.seeds())
    fernwood::fuzz::write_bytes(folder / ("seed" + std::to_string(number++)), seed.data(), seed.size());
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  std::string target, seeds;
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.starts_with("--target=")) target = argument.substr(9);
    if (argument.starts_with("--seeds=")) seeds = argument.substr(8);
  }
  try {
    chosen = &fernwood::fuzz::find_target(target);
    if (!seeds.empty()) {
      write_seeds(*chosen, seeds);
      std::exit(0);
    }
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "fuzz: %s\n", problem.what());
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { return chosen->run(data, size); }

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  constexpr unsigned int kSeldom = 8;  // every kSeldom-th input keeps its wrong checksums
  Bytes bytes;
  if (chosen->damage && seed % 2 == 0) {
    bytes = chosen->damage(Bytes(data, data + size), seed);
  } else {
    const std::size_t mutated = LLVMFuzzerMutate(data, size, max_size);
    if (!chosen->sign || seed % kSeldom == 1) return mutated;
    bytes = chosen->sign(Bytes(data, data + mutated));
  }
  const std::size_t copied = std::min(bytes.size(), max_size);
  if (copied > 0) std::memcpy(data, bytes.data(), copied);
  return copied;
}
