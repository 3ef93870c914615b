// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "records/grow/impurity.h"

namespace fernwood::records {

EntropyTerms::EntropyTerms(std::size_t most) : terms_(most + 1) {
  for (std::size_t n = 0; n <= most; ++n) terms_[n] = EntropyFormula{}.term(static_cast<std::int64_t>(n));
}

}  // namespace fernwood::records
