// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#pragma once

// The fields of each message in their order, defined once for reading and writing. A coder provides number(), text(),
// bytes(), header() and sequence().

#include <concepts>
#include <type_traits>

#include "fernwood/ros/messages.h"

namespace fernwood::ros {

template <typename Given, typename Message>
concept MessageOf = std::same_as<std::remove_const_t<Given>, Message>;

template <typename Coder, typename Numbers>
void code_all(Coder& coder, Numbers& numbers) {
  for (auto& number : numbers) coder.number(number);
}

template <typename Coder, MessageOf<Image> Given>
void code_fields(Coder& coder, Given& image) {
  coder.header(image.header);
  coder.number(image.height);
  coder.number(image.width);
  coder.text(image.encoding);
  coder.number(image.is_bigendian);
  coder.number(image.step);
  coder.bytes(image.data);
}

template <typename Coder, MessageOf<StampedVector> Given>
void code_fields(Coder& coder, Given& vector) {
  coder.header(vector.header);
  code_all(coder, vector.vector);
}

template <typename Coder, MessageOf<Text> Given>
void code_fields(Coder& coder, Given& text) {
  coder.text(text.data);
}

template <typename Coder, MessageOf<CompressedImage> Given>
void code_fields(Coder& coder, Given& image) {
  coder.header(image.header);
  coder.text(image.format);
  coder.bytes(image.data);
}

template <typename Coder, MessageOf<CameraInfo> Given>
void code_fields(Coder& coder, Given& info) {
  coder.header(info.header);
  coder.number(info.height);
  coder.number(info.width);
  coder.text(info.distortion_model);
  coder.sequence(info.d, [&](auto& number) { coder.number(number); });
  code_all(coder, info.k);
  code_all(coder, info.r);
  code_all(coder, info.p);
  coder.number(info.binning_x);
  coder.number(info.binning_y);
  coder.number(info.x_offset);
  coder.number(info.y_offset);
  coder.number(info.roi_height);
  coder.number(info.roi_width);
  coder.number(info.do_rectify);
}

template <typename Coder, MessageOf<std::vector<Transform>> Given>
void code_fields(Coder& coder, Given& transforms) {
  coder.sequence(transforms, [&](auto& transform) {
    coder.header(transform.header);
    coder.text(transform.child);
    code_all(coder, transform.translation_m);
    code_all(coder, transform.rotation);
  });
}

template <typename Coder, MessageOf<PointCloud> Given>
void code_fields(Coder& coder, Given& cloud) {
  coder.header(cloud.header);
  coder.number(cloud.height);
  coder.number(cloud.width);
  coder.sequence(cloud.fields, [&](auto& field) {
    coder.text(field.name);
    coder.number(field.offset);
    coder.number(field.datatype);
    coder.number(field.count);
  });
  coder.number(cloud.is_bigendian);
  coder.number(cloud.point_step);
  coder.number(cloud.row_step);
  coder.bytes(cloud.data);
  coder.number(cloud.is_dense);
}

template <typename Coder, MessageOf<LabelInfo> Given>
void code_fields(Coder& coder, Given& info) {
  coder.header(info.header);
  coder.sequence(info.class_map, [&](auto& one) {
    coder.number(one.class_id);
    coder.text(one.class_name);
  });
  coder.number(info.threshold);
}

template <typename Coder, MessageOf<Diagnostics> Given>
void code_fields(Coder& coder, Given& diagnostics) {
  coder.header(diagnostics.header);
  coder.sequence(diagnostics.status, [&](auto& status) {
    coder.number(status.level);
    coder.text(status.name);
    coder.text(status.message);
    coder.text(status.hardware_id);
    coder.sequence(status.values, [&](auto& pair) {
      coder.text(pair.key);
      coder.text(pair.value);
    });
  });
}

}  // namespace fernwood::ros
