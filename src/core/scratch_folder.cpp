// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/scratch_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fernwood/core/error.h"

namespace fernwood {

ScratchFolder::ScratchFolder() {
  const char* const place = std::getenv("TMPDIR");
  std::string name = (std::filesystem::path(place && *place ? place : "/tmp") / "fernwood_XXXXXX").string();
  FW_CHECK(::mkdtemp(name.data()) != nullptr, Runtime,
           name << ": cannot be made: " << std::strerror(errno) << "; set TMPDIR to a folder that can be written");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace fernwood
