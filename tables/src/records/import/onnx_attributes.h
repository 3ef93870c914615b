// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fernwood/core/error.h"
#include "records/import/onnx_trees.h"

namespace fernwood::records {

/// Attributes of an operator, with the context for messages.
struct OnnxAttributes {
  const OnnxOperator& operation;
  const ErrorContext& place;

  const OnnxValue* find(std::string_view name) const {
    const auto found = operation.attributes.find(name);
    return found == operation.attributes.end() ? nullptr : &found->second;
  }

  [[noreturn]] void fail(std::string_view name, const std::string& rule) const {
    throw Error(ErrorKind::kModel, place.file + ": " + std::string(operation.type) + ": " + std::string(name) +
                                       " must " + rule + place.remedy);
  }

  template <typename Values>
  const Values& checked(std::string_view name, const Values& values, std::size_t count) const {
    if (values.size() != count)
      fail(name, "have " + std::to_string(count) + " values, not " + std::to_string(values.size()));
    return values;
  }

  const std::vector<std::int64_t>& wholes(std::string_view name, std::size_t count) const {
    static const std::vector<std::int64_t> none;
    const OnnxValue* const value = find(name);
    return checked(name, value ? value->whole : none, count);
  }
  std::vector<std::int64_t> wholes_or(std::string_view name, std::size_t count, std::int64_t otherwise) const {
    const OnnxValue* const value = find(name);
    return value && !value->whole.empty() ? wholes(name, count) : std::vector(count, otherwise);
  }
  std::int64_t whole_or(std::string_view name, std::int64_t otherwise) const {
    return wholes_or(name, 1, otherwise)[0];
  }
  std::string text_or(std::string_view name, const char* otherwise) const {
    const OnnxValue* const value = find(name);
    return value && value->texts.size() == 1 ? std::string(value->texts[0]) : otherwise;
  }

  /// An attribute of floats, or of doubles with the suffix "_as_tensor".
  const OnnxValue* reals(const std::string& name) const {
    const OnnxValue* const doubles = find(name + "_as_tensor");
    return doubles ? doubles : find(name);
  }
  const std::vector<double>& reals(const std::string& name, std::size_t count) const {
    static const std::vector<double> none;
    const OnnxValue* const value = reals(name);
    return checked(name, value ? value->reals : none, count);
  }
};

}  // namespace fernwood::records
