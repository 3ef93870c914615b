// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/map/occupancy_grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <ostream>
#include <random>

#include "core/json_text.h"
#include "fernwood/core/error.h"
#include "fernwood/core/file.h"
#include "fernwood/core/option_error.h"
#include "fernwood/core/text.h"
#include "image/class_names.h"
#include "image/geometry.h"

namespace fernwood::map {

namespace {

using image::Vector3;
using G = GridOptions;

constexpr std::array kGridRows = {
    option<&G::floor>("floor", "Classes that are floor in the grid")
        .takes("CLASS,...")
        .default_means("floor, ground, carpet, rug and others by their names"),
    option<&G::cell_m>("grid-cell", "Side of a cell of the grid, in metres").takes("METRES").in(from_to(0.01, 1)),
    option<&G::min_obstacle_m>("min-obstacle-height",
                               "Height above the floor from which points are obstacles in the grid, in metres")
        .takes("METRES")
        .in(from_to(0, 10)),
    option<&G::max_obstacle_m>("max-obstacle-height",
                               "Height above the floor up to which points are obstacles in the grid, in metres: a "
                               "robot's height")
        .takes("METRES")
        .in(from_to(0, 10)),
};

constexpr std::size_t kMinFloorPoints = 100;  // fewer say nothing about up
constexpr float kFloorBand = 0.06f;           // metres from a plane within which points are of it
constexpr int kFits = 3;                      // each finds more of the floor
constexpr double kMinSpread = 1e-3;           // m^4, determinant of the covariance: an area of about 0.6 x 0.6 m
constexpr float kCosOfSameAxis = 0.99939f;    // 2 degrees
constexpr std::size_t kMaxCells = 100'000'000;

Vector3 nearest_axis(const Vector3& direction) {
  const float x = std::abs(direction.x), y = std::abs(direction.y), z = std::abs(direction.z);
  if (x > y && x > z) return {std::copysign(1.0f, direction.x), 0, 0};
  if (z > y) return {0, 0, std::copysign(1.0f, direction.z)};
  return direction.y == 0 ? image::kImageUp : Vector3{0, std::copysign(1.0f, direction.y), 0};
}

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Coordinates whose z is the height above a level: x is the map's x axis along the level, or its y axis.
image::RigidMotion above_level(const Vector3& up, float level) {
  const Vector3 ahead = std::abs(up.x) < 0.9f ? Vector3{1, 0, 0} : Vector3{0, 1, 0};
  const float climb = image::dot(ahead, up);
  const Vector3 x = image::normalised({ahead.x - climb * up.x, ahead.y - climb * up.y, ahead.z - climb * up.z});
  return {{x, cross(up, x), up}, {0, 0, -level}};
}

/// The height that a share of the points does not reach; 0 without points.
float height_at(const std::vector<Vector3>& places, const Vector3& up, double share) {
  if (places.empty()) return 0;
  std::vector<float> heights(places.size());
  std::ranges::transform(places, heights.begin(), [&](const Vector3& place) { return image::dot(up, place); });
  const auto middle = heights.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(heights.size() - 1));
  std::ranges::nth_element(heights, middle);
  return *middle;
}

/// Points at a height along a direction.
struct Plane {
  Vector3 up;
  float level = 0;

  float height(const Vector3& place) const { return image::dot(up, place) - level; }
  bool has(const Vector3& place) const { return std::abs(height(place)) < kFloorBand; }
};

/// The plane on which the most points lie, whatever the others are (RANSAC; Fischler and Bolles, 1981).
Plane common_plane(const std::vector<Vector3>& places) {
  constexpr int kTrials = 300;
  constexpr std::size_t kMaxCounted = 2000;
  constexpr float kMinArea = 0.02f;  // m^2, twice that of the triangle: smaller ones are noise
  const std::size_t every = std::max<std::size_t>(1, places.size() / kMaxCounted);
  std::mt19937 random;  // of the same seed each time
  const auto any = [&] { return places[random() % places.size()]; };
  Plane best;
  std::size_t most = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Vector3 a = any(), b = any(), c = any();
    const Vector3 normal = cross({b.x - a.x, b.y - a.y, b.z - a.z}, {c.x - a.x, c.y - a.y, c.z - a.z});
    if (image::dot(normal, normal) < kMinArea * kMinArea) continue;
    const Vector3 up = image::normalised(normal);
    const Plane plane = {up, image::dot(up, a)};
    std::size_t count = 0;
    for (std::size_t i = 0; i < places.size(); i += every) count += plane.has(places[i]) ? 1 : 0;
    if (count <= most) continue;
    most = count;
    best = plane;
  }
  return best;
}

/// The plane through the points of another one, by least squares.
Plane fitted(const Plane& plane, const std::vector<Vector3>& places) {
  const image::RigidMotion level = above_level(plane.up, plane.level);
  double n = 0, x = 0, y = 0, h = 0, xx = 0, xy = 0, yy = 0, xh = 0, yh = 0;
  for (const Vector3& place : places) {
    if (!plane.has(place)) continue;
    const Vector3 at = level(place);
    const double u = at.x, v = at.y, w = at.z;
    n += 1, x += u, y += v, h += w;
    xx += u * u, xy += u * v, yy += v * v, xh += u * w, yh += v * w;
  }
  const auto covariance = [n](double product, double a, double b) { return (product - a * b / n) / n; };
  const double var_x = covariance(xx, x, x), var_y = covariance(yy, y, y), both = covariance(xy, x, y);
  const double determinant = var_x * var_y - both * both;
  if (!(determinant > kMinSpread)) return plane;
  const double of_x = covariance(xh, x, h), of_y = covariance(yh, y, h);
  const auto slope_x = static_cast<float>((var_y * of_x - both * of_y) / determinant);
  const auto slope_y = static_cast<float>((var_x * of_y - both * of_x) / determinant);
  const auto& [along_x, along_y, up] = level.rotation;
  const Vector3 normal = image::normalised({up.x - slope_x * along_x.x - slope_y * along_y.x,
                                            up.y - slope_x * along_x.y - slope_y * along_y.y,
                                            up.z - slope_x * along_x.z - slope_y * along_y.z});
  const Vector3 middle =
      image::inverse(level)({static_cast<float>(x / n), static_cast<float>(y / n), static_cast<float>(h / n)});
  return {normal, image::dot(normal, middle)};
}

/// The plane of the floor, its normal up. @param floor  Points of floor.
Plane floor_plane(const std::vector<MapPoint>& floor, const Vector3& roughly_up) {
  std::vector<Vector3> places(floor.size());
  std::ranges::transform(floor, places.begin(), &MapPoint::place);
  Plane plane = common_plane(places);
  for (int i = 0; i < kFits; ++i) plane = fitted(plane, places);
  double towards_cameras = 0;  // which are above the floor
  for (const MapPoint& point : floor)
    if (plane.has(point.place)) towards_cameras += static_cast<double>(image::dot(point.normal, plane.up));
  if (towards_cameras == 0) towards_cameras = static_cast<double>(image::dot(roughly_up, plane.up));
  if (towards_cameras < 0) plane = {{-plane.up.x, -plane.up.y, -plane.up.z}, -plane.level};
  const Vector3 axis = nearest_axis(plane.up);
  if (image::dot(axis, plane.up) < kCosOfSameAxis) return plane;
  std::vector<Vector3> of_plane;
  std::ranges::copy_if(places, std::back_inserter(of_plane), [&](const Vector3& place) { return plane.has(place); });
  return {axis, height_at(of_plane, axis, 0.5)};
}

image::RigidMotion above_floor(const std::vector<MapPoint>& points, const std::vector<bool>& is_floor,
                               const Vector3& roughly_up) {
  std::vector<MapPoint> floor;
  std::ranges::copy_if(points, std::back_inserter(floor),
                       [&](const MapPoint& point) { return point.label != image::kVoid && is_floor[point.label]; });
  Plane plane = {nearest_axis(roughly_up), 0};
  if (floor.size() >= kMinFloorPoints) {
    plane = floor_plane(floor, roughly_up);
  } else {
    std::vector<Vector3> places(points.size());
    std::ranges::transform(points, places.begin(), &MapPoint::place);
    plane.level = height_at(places, plane.up, 0.01);
  }
  return above_level(plane.up, plane.level);
}

/// The cells over a range of coordinates.
struct CellRange {
  std::int64_t first = 0, last = 0;

  CellRange(const std::vector<Vector3>& places, float Vector3::*axis, double cell_m) {
    if (places.empty()) return;
    const auto [low, high] = std::ranges::minmax(places, {}, axis);
    first = std::llround(std::floor(low.*axis / cell_m));
    last = std::llround(std::floor(high.*axis / cell_m));
  }
  std::size_t size() const { return static_cast<std::size_t>(last - first + 1); }
  std::size_t index(float coordinate, double cell_m) const {
    return static_cast<std::size_t>(std::llround(std::floor(coordinate / cell_m)) - first);
  }
};

std::uint8_t shade_of(std::int8_t cell) {
  // Darkness is occupancy: 50 of 255 is neither above the one nor below the other threshold of the file.
  constexpr std::uint8_t kWhite = 254, kGrey = 205, kBlack = 0;
  return cell == OccupancyGrid::kFree ? kWhite : cell == OccupancyGrid::kOccupied ? kBlack : kGrey;
}

}  // namespace

OptionTable<GridOptions> GridOptions::table() { return kGridRows; }

void GridOptions::check() const {
  check_options(table(), *this);
  require_option(max_obstacle_m > min_obstacle_m, "max-obstacle-height", max_obstacle_m,
                 "use more than " + named_option("min-obstacle-height", to_text(min_obstacle_m)));
}

std::vector<bool> floor_classes(const image::ClassMap& classes, const GridOptions& options) {
  const std::vector<std::string> names = classes.names();
  std::vector<bool> is_floor(names.size());
  for (std::size_t c = 0; c < names.size() && options.floor.empty(); ++c) is_floor[c] = image::is_floor_name(names[c]);
  for (const std::string& name : options.floor) {
    const auto found = std::ranges::find(names, name);
    require_option(found != names.end(), "floor", in_quotes(name), "pass classes of the model: " + join(names));
    is_floor[static_cast<std::size_t>(found - names.begin())] = true;
  }
  return is_floor;
}

std::vector<bool> required_floor(const image::ClassMap& classes, const GridOptions& options) {
  std::vector<bool> is_floor = floor_classes(classes, options);
  FW_CHECK(std::ranges::find(is_floor, true) != is_floor.end(), Usage,
           "none of the classes is floor by its name: " << join(classes.names()) << "; pass those that are by "
                                                        << named_option("floor"));
  return is_floor;
}

double OccupancyGrid::free_m2() const {
  return static_cast<double>(std::ranges::count(cells, kFree)) * cell_m * cell_m;
}

OccupancyGrid occupancy_grid(const VoxelMap& map, const GridOptions& options) {
  options.check();
  const std::vector<bool> is_floor = floor_classes(map.classes(), options);
  const std::vector<MapPoint> points = map.points();
  const image::RigidMotion from_map = above_floor(points, is_floor, map.up());
  std::vector<Vector3> places(points.size());
  std::ranges::transform(points, places.begin(), [&](const MapPoint& point) { return from_map(point.place); });
  const double cell_m = options.cell_m;
  const CellRange across(places, &Vector3::x, cell_m), along(places, &Vector3::y, cell_m);
  FW_CHECK(across.size() <= kMaxCells / along.size(), Data,
           "the map extends over " << across.size() << " x " << along.size() << " cells of the grid, more than "
                                   << kMaxCells << "; use a larger " << named_option("grid-cell"));
  OccupancyGrid grid{.cells = Array2<std::int8_t>(along.size(), across.size(), OccupancyGrid::kUnknown),
                     .cell_m = cell_m,
                     .x_m = static_cast<double>(across.first) * cell_m,
                     .y_m = static_cast<double>(along.first) * cell_m,
                     .from_map = from_map};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::uint16_t label = points[i].label;
    const double height = places[i].z;
    std::int8_t& cell = grid.cells(along.index(places[i].y, cell_m), across.index(places[i].x, cell_m));
    if (label == image::kVoid || !is_floor[label]) {
      if (height >= options.min_obstacle_m && height <= options.max_obstacle_m) cell = OccupancyGrid::kOccupied;
    } else if (height < options.min_obstacle_m && cell == OccupancyGrid::kUnknown) {
      cell = OccupancyGrid::kFree;
    }
  }
  return grid;
}

image::Vector3 upright(const std::vector<MapPoint>& points, const std::vector<bool>& is_floor,
                       const image::Vector3& roughly_up) {
  return above_floor(points, is_floor, roughly_up).rotation[2];
}

std::filesystem::path grid_image(const std::filesystem::path& path) {
  return std::filesystem::path(path).replace_extension(".pgm");
}

void write_grid(const std::filesystem::path& path, const OccupancyGrid& grid) {
  const std::filesystem::path image = grid_image(path);
  write_file_atomically(image, NamedBy::kUser, [&](std::ostream& out) {
    out << "P5\n" << std::to_string(grid.cells.cols()) << " " << std::to_string(grid.cells.rows()) << "\n255\n";
    for (std::size_t row = grid.cells.rows(); row-- > 0;)
      for (std::size_t col = 0; col < grid.cells.cols(); ++col)
        out.put(static_cast<char>(shade_of(grid.cells(row, col))));
  });
  write_file_atomically(
      path, NamedBy::kUser,
      "image: " + json_text(nlohmann::json(image.filename().string())) + "\nmode: trinary\n" +
          format_text("resolution: %.9g\norigin: [%.9g, %.9g, 0]\n", grid.cell_m, grid.x_m, grid.y_m) +
          "negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n");
}

}  // namespace fernwood::map
