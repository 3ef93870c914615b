// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include <algorithm>
#include <array>
#include <new>
#include <system_error>

#include "fernwood/core/error.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "python/common/src/bindings.h"
#include "python/common/src/gil.h"

namespace fernwood::python {

namespace {

/// Name of the exception in the package's errors, or of Python's own exception if it has one for this kind.
const char* exception_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUsage:
      return "UsageError";
    case ErrorKind::kData:
      return "DataError";
    case ErrorKind::kDevice:
      return "DeviceError";
    case ErrorKind::kModel:
      return "ModelError";
    case ErrorKind::kResource:
      return "ResourceError";
    case ErrorKind::kInterrupted:
      return "Interrupted";
    case ErrorKind::kRuntime:
      break;
  }
  return "OperationError";
}

void raise(const nb::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

std::string quoted(const std::string& text) {
  std::string literal = "'";
  for (const char letter : text)
    literal += letter == '\'' || letter == '\\' ? std::string{'\\', letter} : std::string{letter};
  return literal + "'";
}

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789.") == std::string::npos && std::ranges::count(text, '.') < 2;
}

std::string keyword(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// The option as a keyword argument: "max_depth=8", "interpolate=False", "algorithm='forest'".
std::string as_keyword(const NamedOption& option) {
  const std::string &value = option.value, name = keyword(option.name);
  if (value.empty() || value == "true") return name;
  if (value == "false") return name + "=False";
  return name + "=" + (is_number(value) ? value : quoted(value));
}

nb::tuple named_in(const OptionSentence& sentence) {
  std::vector<std::string> names;
  for (const NamedOption& option : sentence.options())
    if (std::string name = keyword(option.name); std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  return nb::tuple(nb::cast(names));
}

void raise_in_hand() {
  const Failure failure = failure_in_hand();
  const bool is_usage = failure.kind == ErrorKind::kUsage;
  raise(call_python("errors", "made", exception_of(failure.kind), in_python(failure.sentence), failure.error_number,
                    failure.path.string(), is_usage ? named_in(failure.sentence) : nb::tuple()));
}

}  // namespace

std::string in_python(const OptionSentence& sentence) { return printable(sentence.worded(as_keyword)); }

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    if (!failure) stay();  // not an exception: Python is exiting and ends this thread; see or_stay()
    try {
      std::rethrow_exception(failure);
    } catch (const OptionError& error) {
      raise(call_python("errors", "of_option", keyword(error.option()), error.value(), in_python(error.rule()),
                        error.meant()));
    } catch (const UnknownOptionError& error) {
      raise(call_python("errors", "of_unknown_option", keyword(error.option()), keyword(error.meant())));
    } catch (const Error&) {
      raise_in_hand();
    } catch (const std::system_error&) {
      raise_in_hand();
    } catch (const std::bad_alloc&) {
      raise_in_hand();
    }
  });
}

namespace {

const char* type_name(OptionType type) {
  constexpr std::array kNames = {"flag", "integer", "number", "text", "choice", "size", "list"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace

nb::dict to_dict(const OptionInfo& row) {
  nb::dict dict;
  dict["name"] = row.name;
  dict["type"] = type_name(row.type);
  dict["help"] = row.help.on_command_line();
  dict["help_in_python"] =
      row.help.worded([](const NamedOption& option) { return "`" + in_python(OptionSentence(option)) + "`"; });
  dict["group"] = row.group;
  dict["range"] = row.range ? nb::cast(short_text(*row.range)) : nb::none();
  dict["choices"] = row.choices;
  dict["value"] = row.shown_value;
  dict["default"] = row.shown_default;
  dict["changes_model"] = row.changes_model;
  dict["is_searched"] = row.is_searched;
  return dict;
}

}  // namespace fernwood::python
