// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/core/error.h"
#include "fernwood/core/machine.h"
#include "fernwood/core/text.h"
#include "fernwood/records/table_reader.h"
#include "records/tables/class_numbers.h"
#include "records/tables/join_tables.h"

namespace fernwood::records {

namespace {

/// Blocks are put together once all are there, so that their values are held twice for a moment.
void check_budget(const std::string& name, std::size_t num_records, std::size_t num_values, std::size_t budget) {
  const std::size_t needed = 2 * num_values * sizeof(float);
  FW_CHECK(budget == 0 || needed <= budget, Resource,
           name << ": reading its first " << num_records << " records takes " << format_bytes(needed)
                << " and there are " << format_bytes(budget)
                << "; give a smaller file, or use fernwood records predict, which reads in pieces");
}

void sort_classes(RecordTable& table) {
  const std::vector<std::int32_t> places = sorted_places(table.classes);
  std::vector<std::string> names(places.size());
  for (std::size_t c = 0; c < places.size(); ++c) names[static_cast<std::size_t>(places[c])] = table.classes[c];
  table.classes = std::move(names);
  for (std::int32_t& label : table.labels)
    if (label != kNoClass) label = places[static_cast<std::size_t>(label)];
}

}  // namespace

RecordTable read_table(const std::filesystem::path& path, const TableOptions& options, ThreadPool& pool,
                       std::size_t memory_budget_bytes, const ProgressCallback& progress) {
  constexpr std::size_t kBlock = 65536;
  const std::size_t budget = memory_budget_bytes > 0 ? memory_budget_bytes : available_memory_bytes();
  TableReader reader(path, options, pool);
  std::vector<RecordTable> blocks(1);
  std::size_t num_records = 0;
  while (reader.read(blocks.back(), kBlock)) {
    num_records += blocks.back().values.rows();
    check_budget(reader.name(), num_records, num_records * blocks.back().values.cols(), budget);
    if (progress && reader.bytes_total() > 0) progress(reader.bytes_read(), reader.bytes_total());
    blocks.emplace_back();
  }
  blocks.pop_back();
  FW_CHECK(
      !blocks.empty() && !blocks.back().attributes.empty(), Data,
      reader.name() << ": no record has an attribute; give entries index:value, or --format if it is no LIBSVM file");
  const std::vector<std::string> attributes = blocks.back().attributes;
  RecordTable table = join_tables(blocks, attributes, options);
  if (options.classes.empty()) sort_classes(table);
  return table;
}

}  // namespace fernwood::records
