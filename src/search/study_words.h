// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// What the ways to show a study share.

#include <string>

#include "evaluate/format.h"
#include "fernwood/search/study.h"

namespace fernwood::search {

/// For people: "absolute responses".
inline std::string group_title(StudyGroup group) {
  switch (group) {
    case StudyGroup::kChannels:
      return "channels";
    case StudyGroup::kAbsolute:
      return "absolute responses";
    case StudyGroup::kStages:
      return "stages";
    case StudyGroup::kTrees:
      return "trees";
    case StudyGroup::kSamples:
      return "samples per frame";
    case StudyGroup::kSmoothing:
      return "smoothing";
    case StudyGroup::kWeights:
      return "class weights";
    case StudyGroup::kRotation:
      return "rotation of the frames";
  }
  return "";
}

/// "1 frame", "1 234 frames".
inline std::string frames_text(std::size_t count) {
  return evaluate::grouped(count) + (count == 1 ? " frame" : " frames");
}

/// A difference of shares in percent, with its sign: "+1.2", "-0.3", "0.0"; "-" for NaN.
inline std::string points(double difference) {
  const std::string text = evaluate::percent(difference);
  if (text == "-0.0") return "0.0";
  return difference > 0 && text != "0.0" ? "+" + text : text;
}

}  // namespace fernwood::search
