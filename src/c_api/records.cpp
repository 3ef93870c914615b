// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "c_api/handles.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/record_file.h"

struct fernwood_record_forest {
  std::shared_ptr<const fernwood::records::RecordForest> forest;  // predictors share it
};

struct fernwood_record_predictor {
  std::shared_ptr<const fernwood::records::RecordForest> forest;
  std::unique_ptr<fernwood::records::RecordEvaluator> evaluator;
};

namespace fernwood::c_api {

namespace {

fernwood_record_forest* new_record_handle(records::RecordForest forest) {
  return new fernwood_record_forest{std::make_shared<const records::RecordForest>(std::move(forest))};
}

const records::RecordForest& record_forest_of(const fernwood_record_forest* handle) {
  return *required(handle, "forest").forest;
}

/// @throws Error(kData) when records have another number of attributes than the forest.
records::RecordView view_of_records(const fernwood_records* given, const records::RecordForest& forest) {
  const fernwood_records& r = required(given, "records");
  FW_CHECK(r.num_attributes == forest.attributes.size(), Data,
           "the records have " << r.num_attributes << " attributes, the forest has " << forest.attributes.size()
                               << "; give those that it was trained on");
  if (r.num_records > 0) required(r.values, "values");
  FW_CHECK(r.record_step > 0 && r.attribute_step > 0 && (r.record_step == 1 || r.attribute_step == 1), Usage,
           "record_step is " << r.record_step << " and attribute_step " << r.attribute_step
                             << "; one of them is 1, the other one the floats from one to the next");
  for (const std::size_t step : {r.record_step, r.attribute_step}) check_extent("steps", step, sizeof(float));
  check_extent("records", r.num_records, sizeof(float) * r.record_step);
  check_extent("attributes", r.num_attributes, sizeof(float) * r.attribute_step);
  check_extent("probabilities", r.num_records, sizeof(float) * forest.classes.size());
  return {r.values, r.num_records, r.num_attributes, r.record_step, r.attribute_step};
}

void find_probabilities(const records::RecordForest& forest, const records::RecordView& view, float* probabilities) {
  std::vector<float> record(view.num_attributes);
  std::vector<std::int32_t> sums(forest.num_outputs());
  for (std::size_t i = 0; i < view.num_records; ++i) {
    for (std::size_t a = 0; a < record.size(); ++a) record[a] = view.at(i, a);
    records::sum_trees(forest, record.data(), sums.data());
    records::probabilities_of(forest, sums.data(), probabilities + i * forest.classes.size());
  }
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

fernwood_status fernwood_record_predictor_new(const fernwood_record_forest* forest, const char* const* options,
                                              size_t num_options, fernwood_record_predictor** predictor) {
  return guarded([&] {
    fernwood_record_predictor*& out = required(predictor, "predictor");
    out = nullptr;
    records::EvaluatorOptions chosen;
    records::set_options(c_api::option_texts(options, num_options), chosen);
    const auto& shared = required(forest, "forest").forest;
    out = new fernwood_record_predictor{shared, records::make_record_evaluator(*shared, chosen)};
  });
}

void fernwood_record_predictor_free(fernwood_record_predictor* predictor) { delete predictor; }

fernwood_status fernwood_classify(fernwood_record_predictor* predictor, const fernwood_records* records,
                                  int32_t* classes) {
  return guarded([&] {
    const fernwood_record_predictor& asked = required(predictor, "predictor");
    const records::RecordView view = c_api::view_of_records(records, *asked.forest);
    if (view.num_records > 0) asked.evaluator->classify(view, &required(classes, "classes"));
  });
}

fernwood_status fernwood_record_probabilities(const fernwood_record_forest* forest, const fernwood_records* records,
                                              float* probabilities) {
  return guarded([&] {
    const records::RecordForest& known = c_api::record_forest_of(forest);
    const records::RecordView view = c_api::view_of_records(records, known);
    if (view.num_records > 0) c_api::find_probabilities(known, view, &required(probabilities, "probabilities"));
  });
}
}
