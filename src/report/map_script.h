// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string_view>

namespace fernwood::report {

/// src/report/page/map.js: shows the points that map_page() packs.
extern const std::string_view kMapScript;

}  // namespace fernwood::report
