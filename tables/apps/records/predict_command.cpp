// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <memory>
#include <utility>

#include "apps/records/records_command.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/progress.h"
#include "fernwood/core/text.h"
#include "fernwood/records/record_file.h"
#include "shell/command.h"
#include "shell/console.h"
#include "shell/options.h"

namespace fernwood::apps {

namespace {

/// The output for a record.
enum class Shown {
  kAuto,         ///< Its class, or the values of a model without classes.
  kClass,        ///< Its class.
  kProbability,  ///< Its class, and the probability of each class.
  kMargin,       ///< The sums over trees.
  kValue,        ///< The prediction of a regressor.
  kLeaf          ///< The leaf that it reaches in each tree.
};
constexpr std::array kShown = {Shown::kAuto,   Shown::kClass, Shown::kProbability,
                               Shown::kMargin, Shown::kValue, Shown::kLeaf};
std::string to_string(Shown shown) {
  constexpr std::array kNames = {"auto", "class", "probability", "margin", "value", "leaf"};
  return kNames[static_cast<std::size_t>(shown)];
}

struct RecordsPredictArguments {
  TableArguments input;
  EvaluatorArguments evaluator;
  std::filesystem::path model, out;
  BlockOptions block;
  Shown shown = Shown::kAuto;

  static OptionTable<RecordsPredictArguments> table();
  void add_to(CLI::App& command) {
    add_model_option(command, model);
    input.add_to(command);
    command.add_option("--out", out, "CSV file to write, a line for each record; -: standard output")
        ->required()
        ->option_text("FILE");
    add_table(command, *this);
    add_table(command, block);
    evaluator.add_to(command);
  }
  CommandFiles files() const {
    if (out == "-") return {};
    return {.reads = {{"--model", model}, {"--data", input.data}}, .writes = {{"--out", out}}};
  }
};

constexpr std::array kRecordsPredictRows = {
    choice_option<kShown, &RecordsPredictArguments::shown>(
        "as",
        "Content of a line: class, probability (of each class, next to it), margin (sums over trees), value (of a "
        "regressor), leaf (of each tree); auto: class, or value"),
};

OptionTable<RecordsPredictArguments> RecordsPredictArguments::table() { return kRecordsPredictRows; }

/// @throws Error(kUsage) for an output that the model does not have.
Shown settled(Shown shown, const records::RecordForest& forest) {
  if (shown == Shown::kAuto) return forest.has_classes() ? Shown::kClass : Shown::kValue;
  const bool asks_classes = shown == Shown::kClass || shown == Shown::kProbability;
  FW_CHECK(!asks_classes || forest.has_classes(), Usage,
           "--as asks for classes, and the model predicts values; use --as value, margin or leaf");
  FW_CHECK(shown != Shown::kValue || !forest.has_classes(), Usage,
           "--as asks for values, and the model has classes; use --as class, probability, margin or leaf");
  return shown;
}

/// Formats blocks of records as lines of text.
class Lines {
 public:
  Lines(const records::RecordForest& forest, const RecordsPredictArguments& arguments, ThreadPool& pool)
      : forest_(forest), pool_(pool), shown_(settled(arguments.shown, forest)) {
    for (const std::string& name : forest.classes) classes_.push_back(csv_field(name));
    const records::EvaluatorOptions options = arguments.evaluator.options;
    if (has_class()) evaluator_ = records::make_record_evaluator(forest, options);
    if (shown_ != Shown::kClass) values_ = std::make_unique<records::ValueEvaluator>(forest, options);
  }

  std::string header() const {
    std::vector<std::string> names;
    if (has_class()) names.push_back("class");
    if (shown_ == Shown::kProbability) names.insert(names.end(), classes_.begin(), classes_.end());
    if (shown_ == Shown::kValue)
      for (const std::string& name : forest_.targets) names.push_back(csv_field(name));
    if (shown_ == Shown::kMargin)
      for (std::size_t k = 0; k < forest_.num_outputs(); ++k) names.push_back("margin" + std::to_string(k));
    if (shown_ == Shown::kLeaf)
      for (std::size_t t = 0; t < values_->num_trees(); ++t) names.push_back("tree" + std::to_string(t));
    return join(names, ",") + "\n";
  }

  /// How the first of the requested outputs was evaluated.
  std::string explain() const { return evaluator_ ? evaluator_->explain() : values_->explain(); }

  std::string lines(const records::RecordTable& block) {
    const records::RecordView records = block.view();
    std::vector<std::int32_t> classes(has_class() ? records.num_records : 0), leaves;
    if (has_class()) evaluator_->classify(records, classes.data());
    const std::size_t width = this->width();
    std::vector<double> values(shown_ == Shown::kClass || shown_ == Shown::kLeaf ? 0 : records.num_records * width);
    if (shown_ == Shown::kLeaf) {
      leaves.resize(records.num_records * width);
      values_->find_leaves(records, leaves.data());
    } else if (shown_ == Shown::kMargin) {
      values_->find_margins(records, values.data());
    } else if (shown_ != Shown::kClass) {
      values_->predict(records, values.data());
    }
    return text_of(records.num_records, [&](std::size_t i, std::string& text) {
      const char* separator = "";
      const auto add = [&](const std::string& field) {
        text.append(separator).append(field);
        separator = ",";
      };
      if (has_class()) add(classes_[static_cast<std::size_t>(classes[i])]);
      for (std::size_t k = i * width; k < (i + 1) * width && !values.empty(); ++k) add(number(values[k]));
      for (std::size_t k = i * width; k < (i + 1) * width && !leaves.empty(); ++k) add(std::to_string(leaves[k]));
    });
  }

 private:
  bool has_class() const { return shown_ == Shown::kClass || shown_ == Shown::kProbability; }
  /// Number of values beside the class.
  std::size_t width() const {
    if (shown_ == Shown::kLeaf) return values_->num_trees();
    return shown_ == Shown::kMargin ? forest_.num_outputs() : forest_.num_predicted();
  }

  /// The shortest decimal that reads back as the same number; 32-bit probabilities of a forest trained here have six
  /// digits.
  std::string number(double value) const {
    if (!forest_.float_sums && shown_ == Shown::kProbability) return format_text("%.6g", value);
    char text[32];
    const auto written = forest_.float_sums && forest_.float_sums->is_single
                             ? std::to_chars(text, text + sizeof text, static_cast<float>(value))
                             : std::to_chars(text, text + sizeof text, value);
    return {text, written.ptr};
  }

  /// @param line  line(record, text) appends the output for a record.
  template <typename Line>
  std::string text_of(std::size_t num_records, const Line& line) {
    constexpr std::size_t kPart = 1024;
    std::vector<std::string> parts((num_records + kPart - 1) / kPart);
    pool_.for_each(parts.size(), [&](std::size_t p, int) {
      for (std::size_t i = p * kPart; i < std::min((p + 1) * kPart, num_records); ++i) {
        line(i, parts[p]);
        parts[p] += '\n';
      }
    });
    return join(parts, "");
  }

  const records::RecordForest& forest_;
  ThreadPool& pool_;
  const Shown shown_;
  std::vector<std::string> classes_;  ///< [class] As CSV fields.
  std::unique_ptr<records::RecordEvaluator> evaluator_;
  std::unique_ptr<records::ValueEvaluator> values_;
};

/// @return  Number of records.
std::size_t label_all(records::TableReader& reader, Lines& lines, std::size_t block_size, ProgressBar& bar,
                      const std::filesystem::path& file, std::ostream& out) {
  bool is_first = true;
  return take_blocks(reader, block_size, "labelling", bar, [&](const records::RecordTable& block) {
    if (std::exchange(is_first, false)) out << lines.header();
    out << lines.lines(block);
    check_written(out, file);
  });
}

void run(const RecordsPredictArguments& arguments) {
  arguments.block.check();
  const records::EvaluatorOptions options = arguments.evaluator.options;
  records::TableOptions table_options = arguments.input.options();
  const bool to_stdout = arguments.out == "-";
  const records::RecordForest forest = table_options.match(records::load_records(arguments.model));
  table_options.labels = records::LabelKind::kIgnored;
  ThreadPool pool(options.threads);
  records::TableReader reader(arguments.input.data, table_options, pool);
  Lines lines(forest, arguments, pool);
  ProgressBar bar;
  const double start_s = seconds_now();
  std::size_t num_records = 0;
  const auto write = [&](std::ostream& out) {
    num_records = label_all(reader, lines, arguments.block.records, bar, arguments.out, out);
  };
  to_stdout ? write(std::cout) : write_file_atomically(arguments.out, NamedBy::kUser, write);
  bar.clear();
  if (arguments.evaluator.explain) std::cerr << lines.explain();
  if (to_stdout) return;
  print() << format_count(num_records) << (num_records == 1 ? " record" : " records") << " labelled, "
          << format_rate(static_cast<double>(num_records) / (seconds_now() - start_s)) << "/s; predictions written to "
          << arguments.out << "\n";
}

}  // namespace

void add_records_predict(CLI::App& records) {
  add_command<RecordsPredictArguments>(records,
                                       {.name = "predict",
                                        .summary = "Classify records, or predict their values",
                                        .example = "fernwood " + records.get_name() +
                                                   " predict --model letters.fernwood --data new.csv --out classes.csv",
                                        .files = &RecordsPredictArguments::files,
                                        .run = run});
}

}  // namespace fernwood::apps
