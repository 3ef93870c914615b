// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// Options and work that several commands on records share.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include "apps/tables_commands.h"
#include "fernwood/core/option_table.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/table_reader.h"
#include "shell/console.h"

namespace fernwood::apps {

/// A file of records, as given on the command line.
class TableArguments {
 public:
  std::filesystem::path data;

  /// @param but  Options that the command does not have: few commands hold all their input in memory.
  void add_to(CLI::App& command, std::initializer_list<std::string_view> but = {"memory-budget"});
  /// Settings for reading the file; waiting for a pipe ends when the user interrupts. @throws Error(kUsage).
  records::TableOptions options() const;

 private:
  records::TableOptions given_;
};

/// Number of records that a command processes at a time.
struct BlockOptions {
  std::uint64_t records = 65536;  ///< [1, 10^9]

  static OptionTable<BlockOptions> table();
  void check() const { check_options(table(), *this); }
};

/// Evaluation of records, and whether to report how it was done.
struct EvaluatorArguments {
  records::EvaluatorOptions options;
  bool explain = false;  ///< Report how classes were found.

  void add_to(CLI::App& command);
};

/// Shows how far a file is read, and stops when the user interrupts.
void show_progress(ProgressBar& bar, const std::string& phase, const records::TableReader& reader,
                   std::size_t num_records);

/// Reads a block while take(block) works on the previous one. @return  Number of records.
std::size_t take_blocks(records::TableReader& reader, std::size_t block_size, const std::string& phase,
                        ProgressBar& bar, const std::function<void(const records::RecordTable&)>& take);

/// For output that is written block by block, so that the work ends as soon as a disk is full.
/// @param file  The output; -: standard output. @throws Error unless all was written so far.
void check_written(const std::ostream& out, const std::filesystem::path& file);

/// A name as a CSV field.
std::string csv_field(const std::string& name);

}  // namespace fernwood::apps
