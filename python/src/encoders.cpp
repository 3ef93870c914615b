// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/src/encoders.h"

#include <string>
#include <utility>

#include "python/common/src/gil.h"
#include "python/src/frames.h"

namespace fernwood::python {

namespace {

class PythonEncoder final : public encoder::Encoder {
 public:
  PythonEncoder(nb::object function, encoder::EncoderInfo info)
      : function_(new nb::object(std::move(function)),
                  [](nb::object* pointer) {
                    const WithGil with_gil;
                    delete pointer;
                  }),
        info_(std::move(info)) {}

  const encoder::EncoderInfo& info() const override { return info_; }

 protected:
  image::SuppliedMaps compute(const image::Frame& frame) const override {
    const WithGil with_gil;
    return or_stay([&] {
      image::Frame copy = {.color = frame.color, .depth_mm = frame.depth_mm};
      const nb::object none = nb::none();
      const nb::object color = copy.color.empty() ? none : to_numpy(std::move(copy.color));
      const nb::object depth = copy.depth_mm.empty() ? none : to_numpy(std::move(copy.depth_mm));
      return to_maps((*function_)(color, depth), ("the encoder " + info_.name + ": ").c_str());
    });
  }

 private:
  std::shared_ptr<const nb::object> function_;
  encoder::EncoderInfo info_;
};

EncoderHandle make_encoder(nb::object function, const std::string& name, const std::string& checksum,
                           const std::string& options_json, bool keep) {
  std::shared_ptr<const encoder::Encoder> made =
      std::make_shared<PythonEncoder>(std::move(function), encoder::EncoderInfo{name, checksum, options_json});
  return {keep ? encoder::keep_maps(std::move(made)) : made};
}

/// The maps of a frame, as an item of frame_arrays().
nb::object encode(const EncoderHandle& handle, nb::handle item) {
  const FrameArrays arrays = frame_arrays(item, "");
  return to_numpy(with_gil_released([&] {
    image::Frame frame;
    copy_frame(arrays, frame);
    return handle.encoder->encode(frame);
  }));
}

}  // namespace

void add_maps(const encoder::Encoder* encoder, image::FrameImages& frame, image::SuppliedMaps& maps) {
  if (!encoder || frame.maps != nullptr) return;
  maps = encoder->encode(image::copy_of(frame));
  frame.maps = maps.values.data();
  frame.num_maps = maps.num_maps;
  frame.map_rows = maps.rows;
  frame.map_cols = maps.cols;
}

void bind_encoders(nb::module_& module) {
  nb::class_<EncoderHandle>(module, "Encoder")
      .def(nb::new_(&make_encoder), nb::arg("function"), nb::arg("name"), nb::arg("checksum"), nb::arg("options"),
           nb::arg("keep"))
      .def("encode", encode, nb::arg("frame"));
}

}  // namespace fernwood::python
