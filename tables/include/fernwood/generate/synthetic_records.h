// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "fernwood/core/option_table.h"
#include "fernwood/core/parallel.h"
#include "fernwood/core/progress.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::generate {

/// Options of synthetic records, named as in scikit-learn's make_classification (after Guyon, Design of experiments for
/// the NIPS 2003 variable selection benchmark).
struct SyntheticRecordOptions {
  std::uint64_t records = 1'000'000;  ///< Number of records, [1, 10^12].
  std::uint64_t skip = 0;      ///< Records skipped before them, [0, 10^12]: for test records of the same clusters.
  int attributes = 50;         ///< Attributes of all kinds, [1, 65536], in the order of the next three options.
  int informative = 10;        ///< Coordinates of the clusters, [1, attributes].
  int redundant = 2;           ///< Weighted sums of informative ones, >= 0.
  int repeated = 0;            ///< Copies of informative or redundant ones, >= 0; the remaining attributes are noise.
  int classes = 2;             ///< Number of classes, [2, 65534].
  int clusters_per_class = 2;  ///< >= 1; each cluster has its own corner: at most 2^informative clusters in total.
  double class_sep = 1;        ///< Half the side of the cube with clusters at its corners, [0, 1000].
  double flip = 0.01;          ///< Fraction of records whose class is drawn at random, [0, 1].
  std::uint64_t seed = 4711;   ///< Same seed, same records, on every machine.

  static OptionTable<SyntheticRecordOptions> table();
  void check() const;  ///< @throws Error(kUsage) naming the first option out of its range.
};

/// Clusters of normally distributed points around corners of a cube; cluster k belongs to class k modulo `classes`. A
/// point of a cluster is its corner plus z A, where z is a vector of independent normal numbers and A,
/// [informative][informative], is a matrix of the cluster with numbers from [-1, 1). Each number is a function of the
/// seed and its position: records can be computed independently, in any order and on any thread. Only + - * / and
/// comparisons are used, so that the results are the same on every machine.
class SyntheticRecords {
 public:
  /// @throws Error(kUsage).
  explicit SyntheticRecords(const SyntheticRecordOptions& options);

  const SyntheticRecordOptions& options() const { return options_; }
  /// Computes `count` records from `begin` on. Attributes are named "1", "2", ..., classes "0", "1", ....
  records::RecordTable records(std::uint64_t begin, std::size_t count, ThreadPool& pool) const;
  /// Computes one record. @param values  [attributes], written. @param scratch  Reusable memory. @return  Its class.
  std::int32_t make(std::uint64_t record, float* values, std::vector<float>& scratch) const;

 private:
  void place_clusters();
  void draw_sums();

  SyntheticRecordOptions options_;
  std::size_t num_clusters_;
  std::vector<float> corners_;            ///< [cluster][informative]
  std::vector<float> mixing_;             ///< [cluster][informative (of z)][informative]
  std::vector<float> sums_;               ///< [informative][redundant]
  std::vector<std::uint32_t> originals_;  ///< [repeated] Index of the copied attribute.
  std::vector<std::string> attributes_, classes_;
};

/// Writes the records as text, computed on all threads. @param format  kAuto: LIBSVM. @throws Error(kUsage).
void write_synthetic_records(std::ostream& out, const SyntheticRecordOptions& options, records::TableFormat format,
                             ThreadPool& pool, const ProgressCallback& progress = {});
/// The same to a file. @param format  kAuto: the one that the file's extension states, else LIBSVM.
/// @return  The format written.
/// @throws Error(kUsage), or Error(kRuntime, kResource) when the file cannot be written.
records::TableFormat write_synthetic_records(const std::filesystem::path& path, const SyntheticRecordOptions& options,
                                             records::TableFormat format, ThreadPool& pool,
                                             const ProgressCallback& progress = {});

}  // namespace fernwood::generate
