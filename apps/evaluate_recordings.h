// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include "apps/shell/frame_options.h"
#include "fernwood/evaluate/sequence.h"
#include "fernwood/forest/forest.h"
#include "fernwood/predict/predictor.h"

namespace fernwood::apps {

/// Evaluates the recordings of a data set with all methods of labelling: the folder of frames itself, or all recordings
/// in it. Ground truth is optional.
evaluate::SequenceReport evaluate_recordings(const forest::Forest& forest, const DatasetArguments& data,
                                             const predict::PredictOptions& predict,
                                             const evaluate::SequenceOptions& options);

}  // namespace fernwood::apps
