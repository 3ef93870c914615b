// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/backbone/backbone.h"

#include <nanobind/ndarray.h>

#include "fernwood/core/file.h"
#include "fernwood/core/machine.h"
#include "fernwood/report/description.h"
#include "python/src/handles.h"

namespace fernwood::python {

namespace {

using NamedArray = std::pair<std::string, nb::ndarray<const float, nb::c_contig, nb::device::cpu>>;

/// @param arrays   The state_dict() in the file `weights`. Empty: an ONNX file.
/// @param dataset  Frames on which the limits of activations are measured, or null.
void import_weights(const std::string& weights, const std::vector<NamedArray>& arrays, const std::string& out,
                    const DatasetHandle* dataset, const OptionTexts& texts, int threads) {
  const auto options = with_texts<backbone::ImportOptions>({}, texts);
  refuse_replaced_files({{"out", out}},
                        {{"weights", weights}, {"the data set", dataset ? folder_on_disk(*dataset) : ""}},
                        &report::is_read_with);
  backbone::StateDict state;
  for (const auto& [name, array] : arrays) {
    backbone::Tensor& tensor = state[name];
    for (std::size_t d = 0; d < array.ndim(); ++d) tensor.shape.push_back(static_cast<std::int64_t>(array.shape(d)));
    tensor.values.assign(array.data(), array.data() + array.size());
  }
  run_interruptibly(
      [&](const std::stop_token&) {
        ThreadPool pool(threads);
        std::vector<image::Frame> frames;
        for (std::size_t i = 0; dataset && i < dataset->data.size(); ++i) frames.push_back(dataset->data.read_frame(i));
        backbone::import_backbone(weights, state, frames, options, out, pool);
        return true;
      },
      {});
}

nb::dict describe_backbone(const std::string& path) {
  const auto backbone = backbone::load_backbone(path);
  nb::dict facts;
  facts["name"] = backbone->name();
  facts["source"] = backbone->source();
  facts["licence"] = backbone->licence();
  facts["checksum"] = backbone->checksum();
  facts["weights"] = backbone->num_weights();
  facts["maps"] = backbone->num_maps();
  return facts;
}

}  // namespace

void bind_backbones(nb::module_& module) {
  module.def("import_backbone", import_weights, nb::arg("weights"), nb::arg("arrays"), nb::arg("out"),
             nb::arg("dataset").none(), nb::arg("options"), nb::arg("threads"));
  module.def("describe_backbone", describe_backbone, nb::arg("path"));
  module.def("make_cache_folder", [] {
    const std::filesystem::path folder = cache_folder();
    if (!folder.empty()) make_folder(folder);
    return folder.string();
  });
}

}  // namespace fernwood::python
