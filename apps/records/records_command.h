// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The commands of `fernwood records` and the options that they share.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "apps/shell/console.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/table_reader.h"

namespace fernwood::apps {

/// A file of records, as given on the command line.
struct TableArguments {
  std::filesystem::path data;
  std::string format = "auto", header = "auto", separator;
  bool absent_is_unknown = false;
  std::string label;

  void add_to(CLI::App& command);
  /// @throws Error(kUsage).
  records::TableOptions options() const;
};

/// How records are evaluated, and whether to tell how.
struct EvaluatorArguments {
  records::EvaluatorOptions options;
  bool explain = false;  ///< Tell how classes were found.

  void add_to(CLI::App& command);
};

/// @throws Error(kUsage) when the file of the first option, which is written, is that of the second.
void refuse_same_file(const char* option, const std::filesystem::path& path, const char* other_option,
                      const std::filesystem::path& other);

/// Shows how far a file is read and stops when the user asks to.
void show_progress(ProgressBar& bar, const std::string& phase, const records::TableReader& reader,
                   std::size_t num_records);

/// Reads a block while take(block) works on the one before. @return  Records.
std::size_t take_blocks(records::TableReader& reader, std::size_t block_size, const std::string& phase,
                        ProgressBar& bar, const std::function<void(const records::RecordTable&)>& take);

/// A name as a CSV field.
std::string csv_field(const std::string& name);

/// --block: records handed on at a time.
void add_block_option(CLI::App& command, std::size_t& block);

// Each adds one subcommand of `fernwood records`.
void add_records_train(CLI::App& records);
void add_records_predict(CLI::App& records);
void add_records_evaluate(CLI::App& records);
void add_records_explain(CLI::App& records);
void add_records_import(CLI::App& records);
void add_records_search(CLI::App& records);
void add_records_export(CLI::App& records);

}  // namespace fernwood::apps
