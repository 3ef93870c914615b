// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <span>

#include "web/page.h"

namespace fernwood::teach {

// The files of src/teach/page.
extern const std::span<const web::PageFile> kPageFiles;

}  // namespace fernwood::teach
