// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "shell/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "fernwood/core/error.h"

namespace fernwood::apps {

namespace {

/// The error of standard output: the stream does not store the error number.
int standard_output_error() { return ::write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO; }

}  // namespace

void reserve_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // Children inherit the descriptor; otherwise they would print into files of their own.
    int opened = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened < 0) opened = ::open("/", O_PATH);  // without /dev; can be neither read nor written
    if (opened != descriptor) std::_Exit(static_cast<int>(ErrorKind::kResource));
  }
}

void check_standard_output() {
  std::cout.flush();
  if (std::cout.good()) return;
  const int error_number = standard_output_error();
  const bool is_full = error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
  throw Error(is_full ? ErrorKind::kResource : ErrorKind::kRuntime,
              "the result could not be written to standard output: " + std::string(std::strerror(error_number)) +
                  "; check what it is redirected to and the space there");
}

}  // namespace fernwood::apps
