// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"
#include "fernwood/records/record_forest.h"
#include "fernwood/stream/synthetic.h"

namespace fernwood::stream {

namespace {

constexpr std::uint64_t kMostRecords = 1'000'000'000'000;
constexpr std::uint64_t kMostFactors = std::uint64_t{1} << 26;  ///< Of all clusters: 256 MiB.

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

}  // namespace

void SyntheticOptions::check() const {
  check_range("records", records, 1, kMostRecords);
  check_range("skip", skip, 0, kMostRecords);
  check_range("attributes", attributes, 1, static_cast<int>(records::kMostAttributes));
  check_range("informative", informative, 1, attributes);
  check_range("redundant", redundant, 0, attributes);
  check_range("repeated", repeated, 0, attributes);
  FW_CHECK(informative + redundant + repeated <= attributes, Usage,
           "--informative, --redundant and --repeated are " << informative << ", " << redundant << " and " << repeated
                                                            << ", together more than the " << attributes
                                                            << " attributes; give more attributes or fewer of these");
  check_range("classes", classes, 2, static_cast<int>(records::kMostClasses));
  check_range("clusters-per-class", clusters_per_class, 1, static_cast<int>(records::kMostClasses));
  const std::uint64_t clusters = wide(classes) * wide(clusters_per_class);
  FW_CHECK(informative >= 32 || clusters <= std::uint64_t{1} << informative, Usage,
           "--classes times --clusters-per-class is "
               << clusters << ", more than the " << (std::uint64_t{1} << informative) << " corners of a cube with "
               << informative << " dimensions; give more informative attributes");
  const std::uint64_t factors = wide(informative) * (clusters * wide(informative) + wide(redundant));
  FW_CHECK(clusters <= kMostFactors && factors <= kMostFactors, Usage,
           clusters << " clusters and " << redundant << " redundant attributes of " << informative
                    << " informative ones take " << factors << " factors; give fewer, the limit is " << kMostFactors);
  check_range("class-sep", class_sep, 0.0, 1000.0);
  check_range("flip", flip, 0.0, 1.0);
}

}  // namespace fernwood::stream
