// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/generate/synthetic_records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "core/draw.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_forest.h"
#include "generate/normal.h"

namespace fernwood::generate {

namespace {

constexpr std::uint64_t kMaxRecords = 1'000'000'000'000;
constexpr std::uint64_t kMaxFactors = std::uint64_t{1} << 26;  ///< Of all clusters: 256 MiB.

using RecordOptions = SyntheticRecordOptions;

constexpr std::array kRecordRows = {
    option<&RecordOptions::records>("records", "Records to write").in(from_to(1, kMaxRecords)),
    option<&RecordOptions::skip>("skip",
                                 "Records left out before them: other records of the same clusters, to test with")
        .in(from_to(0, kMaxRecords)),
    option<&RecordOptions::attributes>("attributes",
                                       "Attributes of all kinds: informative, redundant, repeated, then noise")
        .in(from_to(1, records::kMaxAttributes)),
    option<&RecordOptions::informative>("informative", "Attributes that the classes depend upon")
        .in(from_to(1, records::kMaxAttributes)),
    option<&RecordOptions::redundant>("redundant", "Attributes that are sums of informative ones")
        .in(from_to(0, records::kMaxAttributes)),
    option<&RecordOptions::repeated>("repeated", "Attributes that are copies of informative or redundant ones")
        .in(from_to(0, records::kMaxAttributes)),
    option<&RecordOptions::classes>("classes", "Classes, called 0, 1, ...").in(from_to(2, records::kMaxClasses)),
    option<&RecordOptions::clusters_per_class>("clusters-per-class", "Clusters of each class, at corners of a cube")
        .in(from_to(1, records::kMaxClasses)),
    option<&RecordOptions::class_sep>("class-sep", "Half a side of the cube; the larger, the easier")
        .in(from_to(0, 1000)),
    option<&RecordOptions::flip>("flip", "Fraction of records whose class is drawn at random").in(from_to(0, 1)),
    option<&RecordOptions::seed>("seed", "Random seed; the same seed gives the same file, on every machine"),
};

std::uint64_t wide(int number) { return static_cast<std::uint64_t>(number); }

/// Purpose of a random number.
enum class RecordPart : std::uint32_t { kNormal = 0, kClass = 1, kCorner = 2, kMixing = 3, kSum = 4, kCopy = 5 };

/// @param place  Below 2^56.
Draw draw_part(std::uint64_t seed, RecordPart part, std::uint64_t place, std::uint32_t block) {
  return draw(seed, RngStream::kSynthetic, static_cast<std::uint32_t>(place >> 32), static_cast<std::uint32_t>(part),
              static_cast<std::uint32_t>(place), block);
}

/// `count` numbers in [-1, 1).
void draw_factors(std::uint64_t seed, RecordPart part, std::uint64_t place, std::size_t count, float* factors) {
  for (std::size_t i = 0; i < count; ++i) {
    const Draw drawn = draw_part(seed, part, place, static_cast<std::uint32_t>(i / 4));
    factors[i] = 2.0f * drawn.unit(static_cast<int>(i % 4)) - 1.0f;
  }
}

/// Whether each coordinate of a corner is high.
std::vector<bool> draw_corner(std::uint64_t seed, std::size_t cluster, std::uint32_t attempt, std::size_t dimensions) {
  constexpr std::size_t kBits = 128;
  const std::size_t blocks = (dimensions + kBits - 1) / kBits;
  std::vector<bool> corner(dimensions);
  Draw drawn{};
  for (std::size_t i = 0; i < dimensions; ++i) {
    const auto block = static_cast<std::uint32_t>(attempt * blocks + i / kBits);
    if (i % kBits == 0) drawn = draw_part(seed, RecordPart::kCorner, cluster, block);
    corner[i] = drawn.word[i % kBits / 32] >> (i % 32) & 1u;
  }
  return corner;
}

/// The first `count` normal numbers of a record.
void draw_normals(std::uint64_t seed, std::uint64_t place, std::size_t count, std::vector<float>& numbers) {
  constexpr std::size_t kBlocks = 16;  // bits first, so that the quantiles of many are vectorised
  std::array<std::uint32_t, 4 * kBlocks> bits{};
  numbers.resize((count + bits.size() - 1) / bits.size() * bits.size());
  for (std::size_t begin = 0; begin < count; begin += bits.size()) {
    const std::size_t blocks = std::min(kBlocks, (count - begin + 3) / 4);
    for (std::size_t b = 0; b < blocks; ++b) {
      const Draw drawn = draw_part(seed, RecordPart::kNormal, place, static_cast<std::uint32_t>(begin / 4 + b));
      std::copy_n(drawn.word, 4, bits.data() + 4 * b);
    }
    for (std::size_t i = 0; i < bits.size(); ++i) numbers[begin + i] = normal_of(bits[i]);
  }
}

/// out[j] += sum of values[i] * factors[i][j], added in the order of i.
void add_product(const float* values, std::size_t num_values, const float* factors, std::size_t num_out, float* out) {
  for (std::size_t i = 0; i < num_values; ++i)
    for (std::size_t j = 0; j < num_out; ++j) out[j] += values[i] * factors[i * num_out + j];
}

std::vector<std::string> numbers(int first, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(std::to_string(first + i));
  return names;
}

std::size_t size(int count) { return static_cast<std::size_t>(count); }

}  // namespace

OptionTable<SyntheticRecordOptions> SyntheticRecordOptions::table() { return kRecordRows; }

void SyntheticRecordOptions::check() const {
  check_options(table(), *this);
  require_together(informative + redundant + repeated <= attributes,
                   "{}, {} and {} are " + std::to_string(informative) + ", " + std::to_string(redundant) + " and " +
                       std::to_string(repeated) + ", together more than the " + std::to_string(attributes) +
                       " attributes; use more attributes or fewer of these",
                   {{"informative"}, {"redundant"}, {"repeated"}});
  const std::uint64_t clusters = wide(classes) * wide(clusters_per_class);
  if (informative < 32 && clusters > std::uint64_t{1} << informative)
    throw Error(ErrorKind::kUsage, {"{} times {} is " + std::to_string(clusters) + ", more than the " +
                                        std::to_string(std::uint64_t{1} << informative) + " corners of a cube with " +
                                        std::to_string(informative) + " dimensions; use more informative attributes",
                                    {{"classes"}, {"clusters-per-class"}}});
  const std::uint64_t factors = wide(informative) * (clusters * wide(informative) + wide(redundant));
  FW_CHECK(clusters <= kMaxFactors && factors <= kMaxFactors, Usage,
           clusters << " clusters and " << redundant << " redundant attributes of " << informative
                    << " informative ones take " << factors << " factors; use fewer, the limit is " << kMaxFactors);
}

SyntheticRecords::SyntheticRecords(const SyntheticRecordOptions& options) : options_(options) {
  options.check();
  num_clusters_ = size(options.classes) * size(options.clusters_per_class);
  attributes_ = numbers(1, options.attributes);
  classes_ = numbers(0, options.classes);
  place_clusters();
  draw_sums();
}

void SyntheticRecords::place_clusters() {
  const std::size_t dimensions = size(options_.informative), num_factors = dimensions * dimensions;
  const float half_side = static_cast<float>(options_.class_sep);
  std::set<std::vector<bool>> taken;
  mixing_.resize(num_clusters_ * num_factors);
  for (std::size_t cluster = 0; cluster < num_clusters_; ++cluster) {
    std::vector<bool> corner;
    for (std::uint32_t attempt = 0; attempt == 0 || !taken.insert(corner).second; ++attempt)
      corner = draw_corner(options_.seed, cluster, attempt, dimensions);
    for (const bool high : corner) corners_.push_back(high ? half_side : -half_side);
    draw_factors(options_.seed, RecordPart::kMixing, cluster, num_factors, mixing_.data() + cluster * num_factors);
  }
}

void SyntheticRecords::draw_sums() {
  sums_.resize(size(options_.informative) * size(options_.redundant));
  draw_factors(options_.seed, RecordPart::kSum, 0, sums_.size(), sums_.data());
  const auto num_originals = static_cast<std::uint32_t>(options_.informative + options_.redundant);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(options_.repeated); ++i)
    originals_.push_back(draw_part(options_.seed, RecordPart::kCopy, i, 0).below(0, num_originals));
}

std::int32_t SyntheticRecords::make(std::uint64_t record, float* values, std::vector<float>& scratch) const {
  const std::size_t informative = size(options_.informative), redundant = size(options_.redundant);
  const std::size_t num_made = informative + redundant + originals_.size();
  const std::size_t num_noise = size(options_.attributes) - num_made;
  const std::uint64_t place = options_.skip + record;
  const Draw choice = draw_part(options_.seed, RecordPart::kClass, place, 0);
  const std::size_t cluster = choice.below(0, static_cast<std::uint32_t>(num_clusters_));
  const bool flipped = static_cast<double>(choice.unit(1)) < options_.flip;

  draw_normals(options_.seed, place, informative + num_noise, scratch);
  std::copy_n(corners_.data() + cluster * informative, informative, values);
  add_product(scratch.data(), informative, mixing_.data() + cluster * informative * informative, informative, values);
  std::fill_n(values + informative, redundant, 0.0f);
  add_product(values, informative, sums_.data(), redundant, values + informative);
  for (std::size_t i = 0; i < originals_.size(); ++i) values[informative + redundant + i] = values[originals_[i]];
  std::copy_n(scratch.data() + informative, num_noise, values + num_made);
  const auto num_classes = static_cast<std::uint32_t>(options_.classes);
  return static_cast<std::int32_t>(flipped ? choice.below(2, num_classes) : cluster % num_classes);
}

records::RecordTable SyntheticRecords::records(std::uint64_t begin, std::size_t count, ThreadPool& pool) const {
  constexpr std::size_t kRecordsPerTask = 256;
  records::RecordTable table{attributes_, classes_, Array2<float>(count, attributes_.size()),
                             std::vector<std::int32_t>(count)};
  pool.for_each((count + kRecordsPerTask - 1) / kRecordsPerTask, [&](std::size_t task, int) {
    std::vector<float> scratch;
    const std::size_t first = task * kRecordsPerTask, last = std::min(first + kRecordsPerTask, count);
    for (std::size_t i = first; i < last; ++i) table.labels[i] = make(begin + i, table.values.row(i), scratch);
  });
  return table;
}

namespace {

constexpr std::size_t kLinesPerTask = 512;
constexpr std::uint64_t kMaxHeldValues = std::uint64_t{65536} * 64;

/// The shortest decimal that reads back as the same number.
template <typename Number>
void append(std::string& text, Number number) {
  std::array<char, 32> digits{};
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

/// How records are written.
struct TextForm {
  records::TableFormat format;
  char separator = ',';  ///< Of CSV.

  bool is_csv() const { return format == records::TableFormat::kCsv; }
};

void append_csv(std::string& text, const records::RecordTable& table, std::size_t record, char separator) {
  for (std::size_t a = 0; a < table.values.cols(); ++a) {
    append(text, table.values(record, a));
    text += separator;
  }
  text += table.classes[static_cast<std::size_t>(table.labels[record])];
  text += '\n';
}

void append_libsvm(std::string& text, const records::RecordTable& table, std::size_t record) {
  text += table.classes[static_cast<std::size_t>(table.labels[record])];
  for (std::size_t a = 0; a < table.values.cols(); ++a) {
    text += ' ';
    append(text, a + 1);
    text += ':';
    append(text, table.values(record, a));
  }
  text += '\n';
}

void write_header(std::ostream& file, const std::vector<std::string>& attributes, char separator) {
  for (const std::string& name : attributes) file << name << separator;
  file << "class\n";
}

/// Lines are formatted on all threads and written in order.
void write_block(std::ostream& file, const records::RecordTable& table, const TextForm& form, ThreadPool& pool) {
  std::vector<std::string> texts((table.values.rows() + kLinesPerTask - 1) / kLinesPerTask);
  pool.for_each(texts.size(), [&](std::size_t task, int) {
    const std::size_t begin = task * kLinesPerTask, end = std::min(begin + kLinesPerTask, table.values.rows());
    for (std::size_t i = begin; i < end; ++i)
      form.is_csv() ? append_csv(texts[task], table, i, form.separator) : append_libsvm(texts[task], table, i);
  });
  for (const std::string& text : texts) file << text;
}

void write_records(std::ostream& out, const SyntheticRecordOptions& options, const TextForm& form, ThreadPool& pool,
                   const ProgressCallback& progress) {
  const SyntheticRecords made(options);
  const std::uint64_t held = std::clamp<std::uint64_t>(kMaxHeldValues / wide(options.attributes), 1, 65536);
  for (std::uint64_t begin = 0; out && begin < options.records; begin += held) {
    const records::RecordTable block =
        made.records(begin, static_cast<std::size_t>(std::min(held, options.records - begin)), pool);
    if (form.is_csv() && begin == 0) write_header(out, block.attributes, form.separator);
    write_block(out, block, form, pool);
    if (progress)
      progress(static_cast<std::size_t>(begin) + block.values.rows(), static_cast<std::size_t>(options.records));
  }
}

/// The separator that the extension of a file states.
char separator_of_name(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(), to_lower);
  return extension == ".tsv" ? '\t' : ',';
}

}  // namespace

void write_synthetic_records(std::ostream& out, const SyntheticRecordOptions& options, records::TableFormat format,
                             ThreadPool& pool, const ProgressCallback& progress) {
  write_records(out, options, {format}, pool, progress);
}

records::TableFormat write_synthetic_records(const std::filesystem::path& path, const SyntheticRecordOptions& options,
                                             records::TableFormat format, ThreadPool& pool,
                                             const ProgressCallback& progress) {
  options.check();
  const records::TableFormat named = format == records::TableFormat::kAuto ? records::format_of_name(path) : format;
  const records::TableFormat written = named == records::TableFormat::kAuto ? records::TableFormat::kLibsvm : named;
  check_writable(path, NamedBy::kUser);
  const TextForm form{written, separator_of_name(path)};
  write_file_atomically(path, NamedBy::kUser,
                        [&](std::ostream& file) { write_records(file, options, form, pool, progress); });
  return written;
}

}  // namespace fernwood::generate
