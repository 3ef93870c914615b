// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string_view>

namespace fernwood::teach {

// The files of src/teach/page.
extern const std::string_view kPageHtml, kPageCss, kPageJs, kAdviceJs;

}  // namespace fernwood::teach
