// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <future>
#include <iostream>
#include <memory>

#include "apps/records/records_command.h"
#include "apps/shell/console.h"
#include "apps/shell/options.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"

namespace fernwood::apps {

namespace {

struct RecordsPredictArguments {
  TableArguments table;
  EvaluatorArguments evaluator;
  std::filesystem::path model, out;
  std::size_t block = 65536;
  bool probabilities = false;
};

/// A name as a CSV field. Blanks around one without quotes are left out by readers, and some take a tab or a semicolon
/// for what separates fields.
std::string csv_field(const std::string& name) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool is_plain = name.find_first_of(",;\t\"\n\r") == std::string::npos &&
                        (name.empty() || (!is_blank(name.front()) && !is_blank(name.back())));
  if (is_plain) return name;
  std::string field = "\"";
  for (const char c : name) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

/// Gives blocks of records their lines of text.
class Labeller {
 public:
  Labeller(const records::RecordForest& forest, const RecordsPredictArguments& arguments, ThreadPool& pool)
      : forest_(forest), pool_(pool), probabilities_(arguments.probabilities) {
    for (const std::string& name : forest.classes) fields_.push_back(csv_field(name));
    // Probabilities need the sums, of which the class follows.
    if (!probabilities_) evaluator_ = records::make_record_evaluator(forest, arguments.evaluator.options);
  }

  std::string header() const {
    std::string line = "class";
    for (const std::string& field : fields_) line += probabilities_ ? "," + field : "";
    return line + "\n";
  }

  /// How classes were found. Not for probabilities.
  std::string explain() const { return evaluator_->explain(); }

  std::string lines(const records::RecordTable& block) {
    return probabilities_ ? lines_of_probabilities(block.view()) : lines_of_classes(block.view());
  }

 private:
  std::string lines_of_classes(const records::RecordView& records) {
    std::vector<std::int32_t> classes(records.num_records);
    evaluator_->classify(records, classes.data());
    std::string text;
    for (const std::int32_t c : classes) text.append(fields_[static_cast<std::size_t>(c)]).append(1, '\n');
    return text;
  }

  std::string lines_of_probabilities(const records::RecordView& records) {
    constexpr std::size_t kPart = 256;
    std::vector<std::string> parts((records.num_records + kPart - 1) / kPart);
    pool_.for_each(parts.size(), [&](std::size_t p, int) {
      std::vector<std::int32_t> sums(forest_.num_outputs());
      std::vector<float> shares(forest_.classes.size());
      for (std::size_t i = p * kPart; i < std::min((p + 1) * kPart, records.num_records); ++i) {
        records::sum_trees(forest_, &records.at(i, 0), sums.data());
        records::probabilities_of(forest_, sums.data(), shares.data());
        const std::int32_t chosen = records::choose_class(forest_.link, sums.data(), sums.size());
        parts[p] += fields_[static_cast<std::size_t>(chosen)];
        for (const float share : shares) parts[p] += format_text(",%.6g", static_cast<double>(share));
        parts[p] += '\n';
      }
    });
    std::string text;
    for (const std::string& part : parts) text += part;
    return text;
  }

  const records::RecordForest& forest_;
  ThreadPool& pool_;
  const bool probabilities_;
  std::vector<std::string> fields_;  ///< [class]
  std::unique_ptr<records::RecordEvaluator> evaluator_;
};

/// Reads a block while the one before is labelled and written. @return Records.
std::size_t label_all(records::TableReader& reader, Labeller& labeller, std::size_t block_size, ProgressBar& bar,
                      std::ostream& out) {
  const auto read = [&] {
    records::RecordTable block;
    reader.read(block, block_size);
    return block;
  };
  std::size_t num_records = 0;
  for (records::RecordTable block = read(); !block.labels.empty();) {
    show_progress(bar, "labelling", reader, num_records);
    std::future<records::RecordTable> next = std::async(std::launch::async, read);
    if (num_records == 0) out << labeller.header();
    out << labeller.lines(block);
    num_records += block.labels.size();
    FW_CHECK(out.good(), Runtime, "the classes could not be written; check the space and where they go");
    block = next.get();
  }
  return num_records;
}

void run(const RecordsPredictArguments& arguments) {
  FW_CHECK(arguments.block >= 1, Usage, "--block is 0; give at least 1");
  FW_CHECK(!arguments.evaluator.explain || !arguments.probabilities, Usage,
           "--explain tells by which strategy classes are found, and --probabilities needs none; give one of them");
  const records::EvaluatorOptions options = arguments.evaluator.options;
  records::TableOptions table_options = arguments.table.options();
  const bool to_stdout = arguments.out == "-";
  if (!to_stdout) check_writable(arguments.out);
  const records::RecordForest forest = records::load_records(arguments.model);
  table_options.match(forest);
  ThreadPool pool(options.threads);
  records::TableReader reader(arguments.table.data, table_options, pool);
  Labeller labeller(forest, arguments, pool);
  ProgressBar bar;
  const double start_s = seconds_now();
  std::size_t num_records = 0;
  const auto write = [&](std::ostream& out) { num_records = label_all(reader, labeller, arguments.block, bar, out); };
  to_stdout ? write(std::cout) : write_file_atomically(arguments.out, write);
  bar.clear();
  if (arguments.evaluator.explain) std::cerr << labeller.explain();
  if (to_stdout) return;
  std::cout << format_count(num_records) << (num_records == 1 ? " record" : " records") << " labelled, "
            << format_rate(static_cast<double>(num_records) / (seconds_now() - start_s)) << "/s; classes are in "
            << shown(arguments.out) << "\n";
}

}  // namespace

void add_records_predict(CLI::App& records) {
  auto arguments = std::make_shared<RecordsPredictArguments>();
  CLI::App* command = records.add_subcommand("predict", "Classify records")->fallthrough();
  add_model_option(*command, arguments->model);
  arguments->table.add_to(*command);
  command->add_option("--out", arguments->out, "CSV file to write, a class a line; -: standard output")
      ->required()
      ->option_text("FILE");
  command->add_flag("--probabilities", arguments->probabilities, "Add a column with the probability of each class");
  add_block_option(*command, arguments->block);
  arguments->evaluator.add_to(*command);
  command->footer("\nExample:\n  fernwood " + records.get_name() +
                  " predict --model letters.fernwood --data new.csv --out classes.csv");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace fernwood::apps
