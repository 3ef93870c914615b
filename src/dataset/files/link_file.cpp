// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "dataset/files/link_file.h"

#include <system_error>

#include "fernwood/core/file.h"

namespace fernwood::dataset {

namespace fs = std::filesystem;

void link_or_copy(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  const fs::path real = fs::canonical(from, failure);
  fs::create_hard_link(failure ? from : real, to, failure);
  if (!failure) return;
  fs::copy_file(from, to, failure);
  if (failure) fail_writing(to, failure.value());
}

}  // namespace fernwood::dataset
