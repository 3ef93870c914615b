// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The parts of the module _fernwood.

#include "python/common/src/bindings.h"

namespace fernwood::python {

void bind_options(nb::module_& module);
void bind_datasets(nb::module_& module);
void bind_forests(nb::module_& module);
void bind_backbones(nb::module_& module);
void bind_encoders(nb::module_& module);
void bind_training(nb::module_& module);
void bind_prediction(nb::module_& module);
void bind_evaluation(nb::module_& module);
void bind_search(nb::module_& module);
void bind_live(nb::module_& module);
void bind_mapping(nb::module_& module);

}  // namespace fernwood::python
