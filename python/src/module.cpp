// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/src/bindings.h"

NB_MODULE(_fernwood, module) {
  module.doc() = "The engine of fernwood; use the package fernwood, which this belongs to.";
  // A data set whose frames are an object of the user's script lives as long as the script's variables, until exit.
  nb::set_leak_warnings(false);
  fernwood::python::bind_errors(module);
  fernwood::python::bind_machine(module);
  fernwood::python::bind_options(module);
  fernwood::python::bind_reports(module);
  fernwood::python::bind_encoders(module);
  fernwood::python::bind_forests(module);
  fernwood::python::bind_datasets(module);
  fernwood::python::bind_backbones(module);
  fernwood::python::bind_training(module);
  fernwood::python::bind_prediction(module);
  fernwood::python::bind_evaluation(module);
  fernwood::python::bind_search(module);
  fernwood::python::bind_live(module);
  fernwood::python::bind_mapping(module);
}
