// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "python/src/frames.h"

#include <nanobind/stl/array.h>

#include <cstring>
#include <memory>
#include <span>

#include "fernwood/core/text.h"
#include "python/common/src/gil.h"

namespace fernwood::python {

namespace {

/// Above the limit for image files, and small enough that sizes of arrays do not overflow.
constexpr std::size_t kMaxPixels = std::size_t{1} << 28;

std::string python_type_of(nb::handle object) {
  const std::string name = nb::inst_name(object).c_str();
  if (!nb::hasattr(object, "dtype")) return name;
  const nb::object type = object.attr("dtype");
  return name + " of " + nb::str(nb::handle(type)).c_str();
}

std::string describe(const AnyArray& array) {
  const std::string shape =
      join(std::span(array.shape_ptr(), array.ndim()), ", ", [](std::int64_t size) { return std::to_string(size); });
  const auto code = static_cast<nb::dlpack::dtype_code>(array.dtype().code);
  const char* const kind = code == nb::dlpack::dtype_code::UInt    ? "uint"
                           : code == nb::dlpack::dtype_code::Int   ? "int"
                           : code == nb::dlpack::dtype_code::Float ? "float"
                           : code == nb::dlpack::dtype_code::Bool  ? "bool"
                                                                   : "other";
  return "the shape (" + shape + ") and the type " + kind + std::to_string(array.dtype().bits);
}

std::string place_of(Device device) {
  return device.is_cpu() ? "in the memory of the host" : "on " + to_string(device);
}

bool is_of(const AnyArray& array, nb::dlpack::dtype_code code) {
  return array.dtype().code == static_cast<std::uint8_t>(code);
}
bool is_whole(const AnyArray& array) {
  return is_of(array, nb::dlpack::dtype_code::Int) || is_of(array, nb::dlpack::dtype_code::UInt);
}

/// The object as an array; invalid for None.
AnyArray array_of(nb::handle object, const char* place, const char* name, Reach reach = Reach::kHost) {
  AnyArray array;
  if (object.is_none()) return array;
  const bool is_masked = nb::hasattr(object, "mask") && nb::hasattr(object, "filled");
  const auto is_wide = [&] { return array.dtype().bits > 16 && is_whole(array) && device_of(array).is_cpu(); };
  if (is_masked || !nb::try_cast(object, array) || is_wide()) {
    const nb::object readable = call_python("_frames", "readable", object, place, name);
    FW_CHECK(nb::try_cast(readable, array), Usage,
             place << name << " is a " << python_type_of(object)
                   << ", not an array of numbers; use one, as by numpy.asarray()");
  }
  const int type = array.device_type();
  const bool on_host = type == nb::device::cpu::value || type == nb::device::cuda_host::value;
  FW_CHECK(on_host || (type == nb::device::cuda::value && reach == Reach::kHostOrGpu), Device,
           place << name << " does not lie in the memory of the host"
                 << (reach == Reach::kHostOrGpu ? " or of an NVIDIA GPU" : "")
                 << "; use a copy that does, as by .cpu() or .get()");
  return array;
}

template <typename T>
bool holds(const AnyArray& array) {
  return array.dtype() == nb::dtype<T>();
}

void check_size(const AnyArray& array, const char* place, const char* name) {
  FW_CHECK(array.shape(0) > 0 && array.shape(1) > 0 && array.shape(1) <= kMaxPixels / array.shape(0), Usage,
           place << name << " has " << describe(array) << "; use 1 to " << kMaxPixels << " pixels");
}

/// GPU kernels accept any distance between rows, but need contiguous pixels in a row.
void check_rows_on_gpu(const AnyArray& array, const char* place, const char* name) {
  if (device_of(array).is_cpu()) return;
  std::int64_t numbers = 1;  // elements to the right of the axis
  bool in_rows = true;
  for (std::size_t axis = array.ndim() - 1; axis > 0; --axis) {
    in_rows &= array.shape(axis) == 1 || array.stride(axis) == numbers;
    numbers *= static_cast<std::int64_t>(array.shape(axis));
  }
  FW_CHECK(in_rows && (array.stride(0) >= numbers || array.shape(0) == 1), Usage,
           place << name << " lies " << place_of(device_of(array))
                 << ", where the pixels of a row have to follow one another; use .contiguous() of it, or "
                    "ascontiguousarray()");
}

/// Whether elements are contiguous and in row-major order, as in the library's images.
bool is_packed(const AnyArray& array) {
  std::int64_t numbers = 1;
  for (std::size_t axis = array.ndim(); axis-- > 0;) {
    if (array.shape(axis) > 1 && array.stride(axis) != numbers) return false;
    numbers *= static_cast<std::int64_t>(array.shape(axis));
  }
  return true;
}

/// Known depths have the same bits as int16 and as uint16; values that are negative as int16 are unknown depths.
bool is_depth_in_mm(const AnyArray& depth) { return holds<std::uint16_t>(depth) || holds<std::int16_t>(depth); }

/// How to convert an array that is not a colour image, as the end of the error message; empty if unknown.
std::string color_remedy(const AnyArray& color) {
  const std::size_t num_axes = color.ndim();
  if (num_axes == 3 && color.shape(2) == 4) return "; where the fourth channel is alpha, pass color[..., :3]";
  if (num_axes == 3 && color.shape(0) == 3 && color.shape(2) != 3)
    return "; where channels come first, pass color.transpose(1, 2, 0), or color.permute(1, 2, 0)";
  if (num_axes == 2) return "; where it is grey, use numpy.stack([color] * 3, axis=-1)";
  if (num_axes == 4) return "; use one frame at a time";
  if (is_of(color, nb::dlpack::dtype_code::Float))
    return "; where it goes from 0 to 1, use (255 * color).round().astype(numpy.uint8), where to 255, "
           "color.round().astype(numpy.uint8)";
  if (color.dtype().bits == 16) return "; where it has 16 bits, use (color // 256).astype(numpy.uint8)";
  return "";
}

void check_color(const AnyArray& color, const char* place) {
  FW_CHECK(color.ndim() == 3 && color.shape(2) == 3 && holds<std::uint8_t>(color), Usage,
           place << "color has " << describe(color) << "; use (rows, columns, 3) of uint8: red, green, blue"
                 << color_remedy(color));
  check_size(color, place, "color");
}

std::string depth_remedy(const AnyArray& depth) {
  if (depth.ndim() == 3 && depth.shape(2) == 1) return "; pass depth[..., 0]";
  if (depth.ndim() == 3 && depth.shape(0) == 1) return "; pass depth[0]";
  if (depth.ndim() != 2) return "; an image of depth in colours has lost its distances";
  if (is_of(depth, nb::dlpack::dtype_code::Float)) return "; pass depth.astype(numpy.float32)";
  return depth.dtype().bits == 8 ? "; 8 bits hold no millimetres, and an image of depth has lost its distances" : "";
}

void check_depth(const AnyArray& depth, const char* place) {
  const bool on_host = device_of(depth).is_cpu();
  FW_CHECK(depth.ndim() == 2 && (is_depth_in_mm(depth) || holds<float>(depth) || (on_host && holds<double>(depth))),
           Usage,
           place << "depth has " << describe(depth)
                 << "; use (rows, columns) of uint16 or int16 in millimetres, 0 where it is unknown, or of float32"
                 << (on_host ? " or float64" : "") << " in metres, NaN where it is unknown" << depth_remedy(depth));
  check_size(depth, place, "depth");
}

std::string labels_remedy(const AnyArray& labels) {
  if (labels.ndim() == 3 && labels.shape(2) == 1) return "; pass labels[..., 0]";
  if (labels.ndim() == 3 && labels.shape(2) == 3 && holds<std::uint8_t>(labels))
    return "; colours of classes are for files, here give the numbers of classes";
  if (labels.ndim() == 3) return "; where the last axis is one-hot, pass labels.argmax(axis=-1)";
  if (is_of(labels, nb::dlpack::dtype_code::Bool))
    return "; pass labels.astype(numpy.uint8), False is class 0, True class 1";
  if (!is_whole(labels))
    return "; where they are integers, use numpy.nan_to_num(labels, nan=-1).astype(numpy.int64), and do not "
           "interpolate labels when they are resized";
  return "";
}

/// Calls take(row, col, value) for each value of a table with any strides.
template <typename T, typename Take>
void for_each_value(const AnyArray& array, const Take& take) {
  const auto* const first = static_cast<const T*>(array.data());
  const std::int64_t down = array.stride(0), right = array.stride(1);
  for (std::size_t row = 0; row < array.shape(0); ++row) {
    const T* value = first + static_cast<std::int64_t>(row) * down;
    for (std::size_t col = 0; col < array.shape(1); ++col, value += right) take(row, col, *value);
  }
}

void copy_color(const AnyArray& array, Array2<image::Rgb>& color) {
  static_assert(sizeof(image::Rgb) == 3);
  const auto* const first = static_cast<const std::uint8_t*>(array.data());
  const std::int64_t down = array.stride(0), right = array.stride(1), deep = array.stride(2);
  for (std::size_t row = 0; row < color.rows(); ++row) {
    const std::uint8_t* pixel = first + static_cast<std::int64_t>(row) * down;
    image::Rgb* const out = color.row(row);
    if (right == 3 && deep == 1)
      std::memcpy(static_cast<void*>(out), pixel, 3 * color.cols());
    else
      for (std::size_t col = 0; col < color.cols(); ++col, pixel += right)
        out[col] = {pixel[0], pixel[deep], pixel[2 * deep]};
  }
}

void copy_depth(const AnyArray& array, Array2<std::uint16_t>& depth_mm) {
  if (is_depth_in_mm(array) && array.stride(1) == 1) {
    const auto* row_begin = static_cast<const std::uint16_t*>(array.data());
    for (std::size_t row = 0; row < depth_mm.rows(); ++row, row_begin += array.stride(0))
      std::memcpy(depth_mm.row(row), row_begin, sizeof(std::uint16_t) * depth_mm.cols());
  } else if (is_depth_in_mm(array)) {
    for_each_value<std::uint16_t>(
        array, [&](std::size_t row, std::size_t col, std::uint16_t value) { depth_mm(row, col) = value; });
  } else if (holds<float>(array)) {
    for_each_value<float>(
        array, [&](std::size_t row, std::size_t col, float value) { depth_mm(row, col) = image::to_depth_mm(value); });
  } else {
    for_each_value<double>(array, [&](std::size_t row, std::size_t col, double value) {
      depth_mm(row, col) = image::to_depth_mm(static_cast<float>(value));
    });
  }
}

template <typename Pixel>
void resize(Array2<Pixel>& image, const AnyArray& array) {
  if (!array.is_valid())
    image = {};
  else if (image.rows() != array.shape(0) || image.cols() != array.shape(1))
    image = Array2<Pixel>(array.shape(0), array.shape(1));
}

template <typename T>
image::LabelImage labels_from(const AnyArray& array, const char* place) {
  image::LabelImage labels(array.shape(0), array.shape(1));
  for_each_value<T>(array, [&](std::size_t row, std::size_t col, T value) {
    if constexpr (std::is_same_v<T, std::int8_t>)
      FW_CHECK(value >= -1, Data,
               place << "a label is " << static_cast<int>(value)
                     << ", as int8 holds numbers above 127; pass labels.astype(numpy.uint8), with 255 where there is "
                        "none");
    if constexpr (std::is_signed_v<T>)
      if (value < 0) {
        labels(row, col) = image::kVoid;
        return;
      }
    if constexpr (sizeof(T) == 1)
      if (static_cast<std::uint8_t>(value) == dataset::kVoidIndex) {
        labels(row, col) = image::kVoid;
        return;
      }
    if constexpr (sizeof(T) > 2)
      FW_CHECK(value <= T{image::kVoid}, Data,
               place << "a label is " << value << "; classes are counted from 0, and " << image::kVoid
                     << " and -1 mean "
                     << "that there is none");
    labels(row, col) = static_cast<std::uint16_t>(value);
  });
  return labels;
}

/// Moves an object to the heap, where a capsule owns it, and deletes it with the array.
template <typename Owned>
std::pair<Owned*, nb::capsule> keep(Owned owned) {
  auto* const kept = new Owned(std::move(owned));
  return {kept, nb::capsule(kept, [](void* pointer) noexcept { delete static_cast<Owned*>(pointer); })};
}

/// Converts a list to a tuple, which Python code that runs during the conversion of its items cannot change.
nb::object fixed(nb::handle given) {
  return nb::isinstance<nb::list>(given) ? nb::object(nb::tuple(given)) : nb::borrow(given);
}

nb::object attribute_of(nb::handle item, const char* name) { return nb::getattr(item, name, nb::none()); }

image::Vector3 to_up(nb::handle given, const char* place) {
  if (given.is_none()) return image::kImageUp;
  std::array<float, 3> numbers{};
  const bool is_known = nb::try_cast(fixed(given), numbers);
  const image::Vector3 up = {numbers[0], numbers[1], numbers[2]};
  FW_CHECK(is_known && image::is_direction(up), Usage,
           place << "up is " << nb::repr(given).c_str()
                 << ", which is not a direction; use (x, y, z), x to the right, y down, z ahead, or None");
  return up;
}

/// Feature maps as float32 [maps][rows][cols] without gaps, or an invalid array for None.
AnyArray array_of_maps(nb::handle given, const char* place, Reach reach) {
  AnyArray maps = array_of(given, place, "maps", reach);
  if (!maps.is_valid()) return maps;
  if (device_of(maps).is_cpu() && !(maps.ndim() == 3 && holds<float>(maps) && is_packed(maps)))
    FW_CHECK(nb::try_cast(call_python("_frames", "float_maps", given), maps), Usage,
             place << "maps are a " << python_type_of(given) << "; pass an array of numbers");
  FW_CHECK(maps.ndim() == 3 && maps.size() > 0, Usage,
           place << "maps have " << describe(maps) << "; use (maps, rows, columns), as fine as the frame or coarser");
  FW_CHECK(holds<float>(maps) && is_packed(maps), Usage,
           place << "maps have " << describe(maps) << " on " << to_string(device_of(maps))
                 << "; use .float().contiguous() of them there");
  return maps;
}

image::SuppliedMaps copy_of_maps(const AnyArray& maps) {
  if (!maps.is_valid()) return {};
  const auto* const values = static_cast<const float*>(maps.data());
  return {maps.shape(0), maps.shape(1), maps.shape(2), {values, values + maps.size()}};
}

/// The registration to the colour image that a fernwood.DepthCamera describes.
std::shared_ptr<const image::DepthAligner> to_aligner(nb::handle given, const FrameArrays& arrays, const char* place) {
  if (given.is_none()) return nullptr;
  FW_CHECK(arrays.color.is_valid() && arrays.depth.is_valid() && arrays.camera, Usage,
           place << "depth_camera is given without "
                 << (!arrays.color.is_valid()   ? "color, to whose pixels depth is moved; pass it"
                     : !arrays.depth.is_valid() ? "depth; pass it"
                                                : "camera, which is that of color then; use (fx, fy, cx, cy)"));
  std::array<float, 32> numbers{};
  FW_CHECK(nb::try_cast(call_python("_frames", "depth_camera_numbers", given), numbers), Usage,
           place << "depth_camera is " << nb::repr(given).c_str() << "; use a fernwood.DepthCamera, or None");
  const std::size_t rows = arrays.depth.shape(0), cols = arrays.depth.shape(1);
  image::CameraPair cameras;
  cameras.color = *arrays.camera;
  cameras.depth = {static_cast<int>(cols), static_cast<int>(rows), numbers[0], numbers[1], numbers[2], numbers[3]};
  auto from = numbers.begin() + 4;
  const auto take = [&from](auto& part) {
    std::copy_n(from, part.size(), part.begin());
    from += static_cast<std::ptrdiff_t>(part.size());
  };
  take(cameras.rotation);
  take(cameras.translation_m);
  take(cameras.depth_distortion);
  take(cameras.color_distortion);
  const std::string problem = image::problem_of(cameras);
  FW_CHECK(problem.empty(), Usage, place << "depth_camera: " << problem);
  return image::aligner_for(cameras, cols, rows, arrays.cols(), arrays.rows());
}

}  // namespace

std::optional<image::Camera> to_camera(nb::handle given, std::size_t rows, std::size_t cols, const char* place) {
  if (given.is_none()) return std::nullopt;
  std::array<float, 4> numbers{};
  FW_CHECK(
      nb::try_cast(fixed(given), numbers) || nb::try_cast(call_python("_frames", "camera_of_matrix", given), numbers),
      Usage,
      place << "camera is " << nb::repr(given).c_str()
            << "; pass (fx, fy, cx, cy) in pixels, a 3 x 3 camera matrix, or None");
  const auto [fx, fy, cx, cy] = numbers;
  const image::Camera camera = {static_cast<int>(cols), static_cast<int>(rows), fx, fy, cx, cy};
  const std::string problem = image::problem_of(camera);
  FW_CHECK(problem.empty(), Usage, place << "the camera's " << problem);
  return camera;
}

Device device_of(const AnyArray& array) {
  return array.device_type() == nb::device::cuda::value ? Device{array.device_id()} : Device{};
}

FrameArrays frame_arrays(nb::handle color, nb::handle depth, nb::handle camera, nb::handle up, nb::handle maps,
                         nb::handle depth_camera, const char* place, Reach reach) {
  FrameArrays arrays{
      array_of(color, place, "color", reach), array_of(depth, place, "depth", reach), {}, to_up(up, place), {},
      array_of_maps(maps, place, reach)};
  FW_CHECK(arrays.color.is_valid() || arrays.depth.is_valid(), Usage,
           place << "color and depth are None; use one of them");
  if (arrays.color.is_valid()) check_color(arrays.color, place);
  if (arrays.depth.is_valid()) check_depth(arrays.depth, place);
  if (arrays.color.is_valid()) check_rows_on_gpu(arrays.color, place, "color");
  if (arrays.depth.is_valid()) check_rows_on_gpu(arrays.depth, place, "depth");
  const bool has_both = arrays.color.is_valid() && arrays.depth.is_valid();
  FW_CHECK(
      !has_both || !depth_camera.is_none() ||
          (arrays.color.shape(0) == arrays.depth.shape(0) && arrays.color.shape(1) == arrays.depth.shape(1)),
      Usage,
      place << "color has " << describe(arrays.color) << ", depth has " << describe(arrays.depth)
            << "; pass both the same rows and columns: scale one of them, or use depth_camera, so that depth is moved");
  FW_CHECK(!has_both || device_of(arrays.color) == device_of(arrays.depth), Device,
           place << "color lies " << place_of(device_of(arrays.color)) << " and depth "
                 << place_of(device_of(arrays.depth)) << "; bring both to one device");
  FW_CHECK(!arrays.maps.is_valid() || device_of(arrays.maps) == arrays.device(), Device,
           place << "maps lie " << place_of(device_of(arrays.maps)) << " and the frame " << place_of(arrays.device())
                 << "; bring both to one device");
  arrays.camera = to_camera(camera, arrays.rows(), arrays.cols(), place);
  arrays.aligner = to_aligner(depth_camera, arrays, place);
  return arrays;
}

FrameArrays frame_arrays(nb::handle item, const char* place) {
  if (nb::hasattr(item, "color"))
    return frame_arrays(item.attr("color"), attribute_of(item, "depth"), attribute_of(item, "camera"),
                        attribute_of(item, "up"), attribute_of(item, "maps"), attribute_of(item, "depth_camera"),
                        place);
  if (nb::isinstance<nb::tuple>(item) || nb::isinstance<nb::list>(item)) {
    const std::size_t num_parts = nb::len(item);
    FW_CHECK(num_parts == 2, Usage,
             place << "is a " << python_type_of(item) << " of " << num_parts
                   << " things; use (color, depth), one of which may be None, or a fernwood.Frame");
    return frame_arrays(item[0], item[1], nb::none(), nb::none(), nb::none(), nb::none(), place);
  }
  const AnyArray array = array_of(item, place, "the frame");
  FW_CHECK(array.is_valid(), Usage, place << "the frame is None; use (color, depth) or an array");
  const nb::object none = nb::none();
  return array.ndim() == 2 ? frame_arrays(none, item, none, none, none, none, place)
                           : frame_arrays(item, none, none, none, none, none, place);
}

void copy_frame(const FrameArrays& arrays, image::Frame& frame) {
  resize(frame.color, arrays.color);
  resize(frame.depth_mm, arrays.depth);
  if (arrays.color.is_valid()) copy_color(arrays.color, frame.color);
  if (arrays.depth.is_valid()) copy_depth(arrays.depth, frame.depth_mm);
  if (arrays.aligner) frame.depth_mm = arrays.aligner->align(frame.depth_mm);
  frame.camera = arrays.camera;
  frame.up = arrays.up;
  frame.maps = copy_of_maps(arrays.maps);
}

image::FrameImages borrow_frame(const FrameArrays& arrays, image::Frame& frame) {
  const bool on_host = arrays.device().is_cpu();
  const AnyArray &color = arrays.color, &depth = arrays.depth;
  image::FrameImages borrowed;
  borrowed.rows = arrays.rows();
  borrowed.cols = arrays.cols();
  borrowed.camera = arrays.camera;
  borrowed.up = arrays.up;
  borrowed.aligner = arrays.aligner;
  if (const AnyArray& maps = arrays.maps; maps.is_valid()) {
    borrowed.maps = static_cast<const float*>(maps.data());
    borrowed.num_maps = maps.shape(0), borrowed.map_rows = maps.shape(1), borrowed.map_cols = maps.shape(2);
  }
  if (color.is_valid() && (!on_host || is_packed(color))) {
    borrowed.color = static_cast<const image::Rgb*>(color.data());
    if (!on_host && color.shape(0) > 1) borrowed.color_pitch_bytes = static_cast<std::size_t>(color.stride(0));
  } else if (color.is_valid()) {
    resize(frame.color, color);
    copy_color(color, frame.color);
    borrowed.color = frame.color.data();
  }
  if (depth.is_valid() && (!on_host || (is_packed(depth) && is_depth_in_mm(depth)))) {
    if (is_depth_in_mm(depth))
      borrowed.depth_mm = static_cast<const std::uint16_t*>(depth.data());
    else
      borrowed.depth_m = static_cast<const float*>(depth.data());
    if (!on_host && depth.shape(0) > 1)
      borrowed.depth_pitch_bytes = static_cast<std::size_t>(depth.stride(0)) * depth.itemsize();
  } else if (depth.is_valid()) {
    resize(frame.depth_mm, depth);
    copy_depth(depth, frame.depth_mm);
    borrowed.depth_mm = frame.depth_mm.data();
  }
  return borrowed;
}

dataset::DepthOrigin depth_origin_of(const FrameArrays& arrays) {
  const bool in_metres = arrays.depth.is_valid() && !is_depth_in_mm(arrays.depth);
  return in_metres ? dataset::DepthOrigin::kFloats : dataset::DepthOrigin::kIntegers;
}

void add_some(const FrameArrays& arrays, dataset::DepthHistogram& depths) {
  const AnyArray& depth = arrays.depth;
  if (!depth.is_valid() || !device_of(depth).is_cpu()) return;
  const auto add_values = [&](const auto* values) {
    depths.add_some(depth.shape(0), depth.shape(1), !is_depth_in_mm(depth), [&](std::size_t row, std::size_t col) {
      return values[static_cast<std::int64_t>(row) * depth.stride(0) +
                    static_cast<std::int64_t>(col) * depth.stride(1)];
    });
  };
  if (holds<std::int16_t>(depth))
    add_values(static_cast<const std::int16_t*>(depth.data()));
  else if (holds<std::uint16_t>(depth))
    add_values(static_cast<const std::uint16_t*>(depth.data()));
  else if (holds<float>(depth))
    add_values(static_cast<const float*>(depth.data()));
  else
    add_values(static_cast<const double*>(depth.data()));
}

nb::ndarray<> label_target(nb::handle out, std::size_t rows, std::size_t cols, Device device) {
  nb::ndarray<> target;
  FW_CHECK(nb::try_cast(out, target), Usage,
           "out is a " << python_type_of(out) << ", not an array that can be written; use one of uint16");
  const AnyArray seen(target);
  FW_CHECK(target.ndim() == 2 && target.shape(0) == rows && target.shape(1) == cols && holds<std::uint16_t>(seen),
           Usage,
           "out has " << describe(seen) << "; use (" << rows << ", " << cols << ") of uint16, as the labels have");
  FW_CHECK(cols == 1 || target.stride(1) == 1, Usage,
           "out has " << target.stride(1)
                      << " numbers from one pixel of a row to the next; pass an array whose rows are "
                      << "in one piece");
  FW_CHECK(rows == 1 || target.stride(0) >= static_cast<std::int64_t>(cols), Usage,
           "out has " << target.stride(0) << " numbers from row to row; pass an array whose rows lie in their order");
  FW_CHECK(device_of(seen) == device, Device,
           "out lies " << place_of(device_of(seen)) << " and the frame " << place_of(device)
                       << "; pass memory of the frame's device");
  return target;
}

std::size_t pitch_bytes(const nb::ndarray<>& table) {
  return table.shape(0) == 1 ? 0 : static_cast<std::size_t>(table.stride(0)) * table.itemsize();
}

AnyArray label_array(nb::handle labels, const char* place) {
  const AnyArray array = array_of(labels, place, "labels");
  FW_CHECK(array.is_valid(), Usage, place << "labels are None; pass an array");
  FW_CHECK(array.ndim() == 2 && is_whole(array), Usage,
           place << "labels have " << describe(array)
                 << "; use (rows, columns) of integers: classes counted from 0, and -1 where there is none"
                 << labels_remedy(array));
  check_size(array, place, "labels");
  return array;
}

image::LabelImage to_labels(const AnyArray& labels, const char* place) {
  if (holds<std::uint8_t>(labels)) return labels_from<std::uint8_t>(labels, place);
  if (holds<std::uint16_t>(labels)) return labels_from<std::uint16_t>(labels, place);
  if (holds<std::uint32_t>(labels)) return labels_from<std::uint32_t>(labels, place);
  if (holds<std::uint64_t>(labels)) return labels_from<std::uint64_t>(labels, place);
  if (holds<std::int8_t>(labels)) return labels_from<std::int8_t>(labels, place);
  if (holds<std::int16_t>(labels)) return labels_from<std::int16_t>(labels, place);
  if (holds<std::int32_t>(labels)) return labels_from<std::int32_t>(labels, place);
  return labels_from<std::int64_t>(labels, place);
}

nb::object to_numpy(image::LabelImage&& labels) {
  const auto [kept, owner] = keep(std::move(labels));
  return nb::ndarray<nb::numpy, std::uint16_t>(kept->data(), {kept->rows(), kept->cols()}, owner).cast();
}

nb::object to_numpy(Array2<image::Rgb>&& color) {
  const auto [kept, owner] = keep(std::move(color));
  return nb::ndarray<nb::numpy, std::uint8_t>(&kept->data()->r, {kept->rows(), kept->cols(), 3}, owner).cast();
}

nb::object to_numpy(image::SuppliedMaps&& maps) {
  const auto [kept, owner] = keep(std::move(maps));
  return nb::ndarray<nb::numpy, float>(kept->values.data(), {kept->num_maps, kept->rows, kept->cols}, owner).cast();
}

image::SuppliedMaps to_maps(nb::handle given, const char* place) {
  FW_CHECK(!given.is_none(), Usage, place << "maps are None; pass an array (maps, rows, columns)");
  return copy_of_maps(array_of_maps(given, place, Reach::kHost));
}

nb::object to_numpy(const std::vector<Array2<float>>& planes) {
  const std::size_t rows = planes.front().rows(), cols = planes.front().cols(), num_pixels = rows * cols;
  const auto [kept, owner] = keep(std::vector<float>(planes.size() * num_pixels));
  for (std::size_t c = 0; c < planes.size(); ++c) std::ranges::copy(planes[c], kept->begin() + c * num_pixels);
  return nb::ndarray<nb::numpy, float>(kept->data(), {rows, cols, planes.size()}, owner,
                                       {static_cast<std::int64_t>(cols), 1, static_cast<std::int64_t>(num_pixels)})
      .cast();
}

nb::object camera_numbers(const std::optional<image::Camera>& camera, std::size_t rows, std::size_t cols) {
  if (!camera) return nb::none();
  const image::Camera own = scaled(*camera, cols, rows);
  return nb::make_tuple(own.fx, own.fy, own.cx, own.cy);
}

nb::object motion_numbers(const std::optional<image::RigidMotion>& motion) {
  if (!motion) return nb::none();
  const image::Vector3(&r)[3] = motion->rotation;
  const image::Vector3& t = motion->translation;
  return nb::make_tuple(r[0].x, r[0].y, r[0].z, t.x, r[1].x, r[1].y, r[1].z, t.y, r[2].x, r[2].y, r[2].z, t.z);
}

}  // namespace fernwood::python
