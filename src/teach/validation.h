// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fernwood/teach/learner.h"
#include "fernwood/teach/project.h"

namespace fernwood::teach {

/// A stroke that forests which have not learnt its frame mostly see otherwise.
struct SuspectStroke {
  std::uint64_t stroke = 0;
  std::size_t frame = 0;
  double right = 0;  ///< Share of its pixels that got its class.
};

/// How right forests are where they have not learnt.
struct CrossValidationReport {
  std::uint64_t version = 0;
  double pixel_accuracy = 0;                    ///< Over all pixels that strokes gave a class.
  double class_accuracy = 0;                    ///< Mean over the classes that have such.
  std::vector<std::optional<double>> by_class;  ///< [of live_classes()] Empty: too few frames have it to tell.
  std::vector<SuspectStroke> suspects;          ///< The worst first.
};

/// Classes are judged, their pixels and their strokes, where the forest had learnt them from other frames.
/// @return  Nothing when labels of the project have changed since, or fewer than two classes can be judged.
std::optional<CrossValidationReport> validation_of(const HeldOutPredictions& held_out, const Project& project);

}  // namespace fernwood::teach
