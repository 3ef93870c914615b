// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the product says, compared with sentences.txt: one file in which a person reads all wordings, rewritten by
// scripts/sentences.

#include <functional>
#include <string>

#include "fernwood/core/error.h"

namespace fernwood::testdata {

/// Expects that `sentence` is the next one of the running test in the snapshot. Temporary folders count as FOLDER, the
/// source tree as SOURCE. Not for what depends on the machine or on a library's version.
void expect_sentence(const std::string& sentence);

/// Expects that `work` throws an error of this kind, whose sentence is the next one of the running test in the
/// snapshot.
void expect_refused(ErrorKind kind, const std::function<void()>& work);

}  // namespace fernwood::testdata
