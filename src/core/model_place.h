// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>

namespace fernwood {

/// What messages about a model begin and end with: FW_CHECK(..., place.file << ": ..." << place.remedy).
struct ModelPlace {
  std::string file;
  std::string remedy;
  std::string document = "header";  ///< What its JSON is called: "the header", "header field classes".
};
inline ModelPlace loading(const std::string& file) {
  return {file, "; the file is damaged: copy it again or train anew"};
}
inline ModelPlace saving(const std::string& file) {
  return {file, "; nothing was written: correct the forest before saving it"};
}

}  // namespace fernwood
