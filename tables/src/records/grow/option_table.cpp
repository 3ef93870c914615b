// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "core/json_text.h"
#include "core/result_json.h"
#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/records/train_records.h"

namespace fernwood::records {

namespace {

using Grown = RecordTrainOptions;

// A search uses its parameters in this order, too.
constexpr std::array kTrainRows = {
    choice_option<kTasks, &Grown::task>("task",
                                        "Type of the labels: classes (also with auto) or, with regression, numbers")
        .stored([](const Grown& options) { return options.predicts_targets(); }),
    option<&Grown::trees>("trees", "Number of trees")
        .in(from_to(1, 10000))
        .stored()
        .searches(search_log_range(50, 400)),
    option<&Grown::max_depth>("max-depth", "Maximum depth of a tree: levels below the root; 0: no limit")
        .in(from_to(0, 1000000))
        .stored()
        .searches(search_words("0,16")),
    option<&Grown::max_leaves>("max-leaves", "Maximum number of leaves of a tree, best splits first; 0: no limit")
        .in(from_to(0, 1000000000))
        .stored()
        .searches(search_words("0,1000")),
    option<&Grown::min_samples>("min-samples", "A node with fewer samples becomes a leaf")
        .in(at_least(2))
        .stored()
        .searches(search_log_range(2, 50)),
    option<&Grown::min_leaf_samples>("min-leaf-samples", "Minimum number of samples on each side of a split")
        .in(at_least(1))
        .stored()
        .searches(search_log_range(1, 20)),
    choice_option<kCriteria, &Grown::criterion>("criterion", "Split criterion of classification")
        .stored([](const Grown& options) { return !options.predicts_targets(); })
        .searches(search_choices()),
    option<&Grown::attributes_per_split>(
        "attributes-per-split",
        "Attributes tried at each node; 0: their square root; with regression a third; "
        "for one tree all")
        .in(from_to(0, kMaxAttributes))
        .stored()
        .searches(search_custom()),
    option<&Grown::bootstrap>("bootstrap", "Train each tree on records drawn with replacement")
        .default_means("for several trees")
        .stored()
        .searches(search_custom()),
    option<&Grown::seed>("seed", "Random seed; the same seed gives the same forest, with any number of threads")
        .stored(),
};

}  // namespace

OptionTable<RecordTrainOptions> RecordTrainOptions::table() { return kTrainRows; }

void RecordTrainOptions::check() const {
  check_options(table(), *this);
  if (max_leaves == 1) throw OptionError("max-leaves", "1", "use at least 2, or 0 for no limit");
  check_criterion(criterion, predicts_targets());
}

void check_criterion(Criterion criterion, bool predicts_targets) {
  require_option(criterion == Criterion::kGini || !predicts_targets, "criterion", to_string(criterion),
                 OptionSentence{"it is for classes, leave it out with {}, which makes the squared error small",
                                {{"task", "regression"}}});
}

void set_options(const OptionTexts& texts, RecordTrainOptions& options) {
  for (const auto& [name, text] : texts) set_option(name, text, options);
}

std::string to_json(const RecordTrainOptions& options) {
  RecordTrainOptions written = options;
  written.bootstrap = options.draws_records();
  return json_text(model_json(RecordTrainOptions::table(), written));
}

}  // namespace fernwood::records
