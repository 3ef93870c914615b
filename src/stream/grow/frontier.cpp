// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "stream/grow/frontier.h"

#include <algorithm>

#include "records/grow/impurity.h"
#include "stream/grow/hoeffding.h"

namespace fernwood::stream {

namespace {

template <typename Terms>
void weigh_by(FoundSplit& found, const Terms& terms) {
  std::int64_t sum = 0, n = 0;
  for (const std::int64_t count : found.totals) sum += terms.term(count), n += count;
  const double whole = terms.purity(sum, n), records = static_cast<double>(n);
  // No split gains less than nothing, but rounding may say so.
  found.gain = std::max(0.0, (found.search.best.purity - whole) / records);
  // Not to split at all is another choice, whose gain is 0.
  found.second_gain = std::max(0.0, (found.search.second - whole) / records);
}

}  // namespace

void weigh(FoundSplit& found, records::Criterion criterion) {
  criterion == records::Criterion::kGini ? weigh_by(found, records::GiniTerms{})
                                         : weigh_by(found, records::EntropyFormula{});
}

bool is_decided(const FoundSplit& found, const OpenLeaf& leaf, const StreamOptions& options) {
  if (options.failure_probability == 0) return true;
  const double range =
      options.criterion == records::Criterion::kGini ? 1 : exact_log2(static_cast<double>(found.totals.size()));
  const double bound =
      hoeffding_bound(range, failure_of_test(options.failure_probability, leaf.tests), static_cast<double>(leaf.seen));
  return found.gain - found.second_gain > bound || bound < options.tie;
}

}  // namespace fernwood::stream
