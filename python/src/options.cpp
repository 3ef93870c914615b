// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <nanobind/stl/map.h>

#include <map>

#include "fernwood/predict/predictor.h"
#include "fernwood/records/evaluator.h"
#include "fernwood/records/train_records.h"
#include "fernwood/search/data_search.h"
#include "fernwood/stream/stream_options.h"
#include "fernwood/train/options.h"
#include "python/src/bindings.h"

namespace fernwood::python {

namespace {

/// All options by the work that takes them; python/fernwood/_option_types.py gives them types.
std::map<std::string, std::vector<std::string>> option_names() {
  return {{"train", train::option_names()},
          {"predict", predict::option_names()},
          {"search", search::option_names()},
          {"records.train", records::train_option_names()},
          {"records.predict", records::evaluator_option_names()},
          {"streams", stream::option_names()}};
}

}  // namespace

void bind_options(nb::module_& module) { module.def("option_names", option_names); }

}  // namespace fernwood::python
