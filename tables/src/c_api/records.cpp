// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>

#include "c_api/guard.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/record_file.h"
#include "fernwood_tables.h"

struct fernwood_record_forest {
  std::shared_ptr<const fernwood::records::RecordForest> forest;  // shared with predictors
};

struct fernwood_record_predictor {
  std::shared_ptr<const fernwood::records::RecordForest> forest;
  fernwood::records::EvaluatorOptions options;
  std::unique_ptr<fernwood::records::RecordEvaluator> evaluator;  ///< Null if the forest has no classes.
  std::unique_ptr<fernwood::records::ValueEvaluator> values;      ///< With classes: created by the first ask().
};

namespace fernwood::c_api {

namespace {

fernwood_record_forest* new_record_handle(records::RecordForest forest) {
  return new fernwood_record_forest{std::make_shared<const records::RecordForest>(std::move(forest))};
}

const records::RecordForest& record_forest_of(const fernwood_record_forest* handle) {
  return *required(handle, "forest").forest;
}

/// @throws Error(kData) if the number of attributes differs from the forest's, Error(kUsage) for invalid steps.
records::RecordView view_of_records(const fernwood_records* given, const records::RecordForest& forest) {
  const fernwood_records& r = required(given, "records");
  FW_CHECK(r.num_attributes == forest.attributes.size(), Data,
           "the records have " << r.num_attributes << " attributes, the forest has " << forest.attributes.size()
                               << "; pass those that it was trained on");
  if (r.num_records > 0) required(r.values, "values");
  FW_CHECK(r.record_step > 0 && r.attribute_step > 0 && (r.record_step == 1 || r.attribute_step == 1), Usage,
           "record_step is " << r.record_step << " and attribute_step " << r.attribute_step
                             << "; one of them is 1, the other one the floats from one to the next");
  for (const std::size_t step : {r.record_step, r.attribute_step}) check_extent("steps", step, sizeof(float));
  check_extent("records", r.num_records, sizeof(float) * r.record_step);
  check_extent("attributes", r.num_attributes, sizeof(float) * r.attribute_step);
  const std::size_t widest = std::max({forest.num_predicted(), forest.num_outputs(), forest.trees.size()});
  check_extent("what is predicted", r.num_records, sizeof(double) * widest);
  return {r.values, r.num_records, r.num_attributes, r.record_step, r.attribute_step};
}

/// Calls a function of the predictor's ValueEvaluator, and creates the evaluator if it does not exist.
/// @param found  Output of `find`. @param what  Its name in messages.
template <typename Number>
void ask(fernwood_record_predictor* predictor, const fernwood_records* given, Number* found, const char* what,
         void (records::ValueEvaluator::*find)(const records::RecordView&, Number*)) {
  fernwood_record_predictor& asked = required(predictor, "predictor");
  const records::RecordView view = view_of_records(given, *asked.forest);
  if (!asked.values) asked.values = std::make_unique<records::ValueEvaluator>(*asked.forest, asked.options);
  if (view.num_records > 0) ((*asked.values).*find)(view, &required(found, what));
}

}  // namespace

}  // namespace fernwood::c_api

using namespace fernwood;
using c_api::guarded;
using c_api::required;

extern "C" {

fernwood_status fernwood_record_forest_load(const char* path, fernwood_record_forest** forest) {
  return guarded([&] {
    fernwood_record_forest*& out = required(forest, "forest");
    out = nullptr;
    out = c_api::new_record_handle(records::load_records(&required(path, "path")));
  });
}

fernwood_status fernwood_record_forest_import(const char* path, fernwood_record_forest** forest) {
  return guarded([&] {
    fernwood_record_forest*& out = required(forest, "forest");
    out = nullptr;
    out = c_api::new_record_handle(records::import_model(&required(path, "path")));
  });
}

fernwood_status fernwood_record_forest_save(const fernwood_record_forest* forest, const char* path) {
  return guarded([&] { records::save_records(c_api::record_forest_of(forest), &required(path, "path")); });
}

void fernwood_record_forest_free(fernwood_record_forest* forest) { delete forest; }

size_t fernwood_record_forest_num_attributes(const fernwood_record_forest* forest) {
  return forest == nullptr ? 0 : forest->forest->attributes.size();
}

size_t fernwood_record_forest_num_classes(const fernwood_record_forest* forest) {
  return forest == nullptr ? 0 : forest->forest->classes.size();
}

const char* fernwood_record_forest_class_name(const fernwood_record_forest* forest, size_t index) {
  if (index >= fernwood_record_forest_num_classes(forest)) return nullptr;
  return forest->forest->classes[index].c_str();
}

size_t fernwood_record_forest_num_targets(const fernwood_record_forest* forest) {
  return forest == nullptr ? 0 : forest->forest->targets.size();
}

const char* fernwood_record_forest_target_name(const fernwood_record_forest* forest, size_t index) {
  if (index >= fernwood_record_forest_num_targets(forest)) return nullptr;
  return forest->forest->targets[index].c_str();
}

size_t fernwood_record_forest_num_outputs(const fernwood_record_forest* forest) {
  return forest == nullptr ? 0 : forest->forest->num_outputs();
}

size_t fernwood_record_forest_num_trees(const fernwood_record_forest* forest) {
  return forest == nullptr ? 0 : forest->forest->trees.size();
}

float fernwood_record_category(const char* text, size_t size) {
  return records::value_of_category(records::category_of_text({text, text == nullptr ? 0 : size}));
}

fernwood_status fernwood_record_predictor_new(const fernwood_record_forest* forest, const char* const* options,
                                              size_t num_options, fernwood_record_predictor** predictor) {
  return guarded([&] {
    fernwood_record_predictor*& out = required(predictor, "predictor");
    out = nullptr;
    records::EvaluatorOptions chosen;
    records::set_options(c_api::option_texts(options, num_options), chosen);
    const auto& shared = required(forest, "forest").forest;
    std::unique_ptr<fernwood_record_predictor> made(new fernwood_record_predictor{shared, chosen, nullptr, nullptr});
    if (shared->has_classes())
      made->evaluator = records::make_record_evaluator(*shared, chosen);
    else
      made->values = std::make_unique<records::ValueEvaluator>(*shared, chosen);
    out = made.release();
  });
}

void fernwood_record_predictor_free(fernwood_record_predictor* predictor) { delete predictor; }

fernwood_status fernwood_classify(fernwood_record_predictor* predictor, const fernwood_records* records,
                                  int32_t* classes) {
  return guarded([&] {
    const fernwood_record_predictor& asked = required(predictor, "predictor");
    const records::RecordView view = c_api::view_of_records(records, *asked.forest);
    FW_CHECK(asked.evaluator, Usage,
             "the forest predicts values and has no classes; ask fernwood_record_predict() for them");
    if (view.num_records > 0) asked.evaluator->classify(view, &required(classes, "classes"));
  });
}

fernwood_status fernwood_record_predict(fernwood_record_predictor* predictor, const fernwood_records* records,
                                        double* predicted) {
  return guarded(
      [&] { c_api::ask(predictor, records, predicted, "predicted", &fernwood::records::ValueEvaluator::predict); });
}

fernwood_status fernwood_record_margins(fernwood_record_predictor* predictor, const fernwood_records* records,
                                        double* margins) {
  return guarded(
      [&] { c_api::ask(predictor, records, margins, "margins", &fernwood::records::ValueEvaluator::find_margins); });
}

fernwood_status fernwood_record_leaves(fernwood_record_predictor* predictor, const fernwood_records* records,
                                       int32_t* leaves) {
  return guarded(
      [&] { c_api::ask(predictor, records, leaves, "leaves", &fernwood::records::ValueEvaluator::find_leaves); });
}
}
