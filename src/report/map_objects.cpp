// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/report/map_objects.h"

#include "core/result_json.h"
#include "core/text_table.h"
#include "fernwood/core/text.h"
#include "page/page.h"
#include "report/object_parts.h"
#include "report/pictures.h"

namespace fernwood::report {

namespace {

using objects::TrackedObject;

std::string vector_text(const image::Vector3& vector) {
  return format_text("%.2f %.2f %.2f", static_cast<double>(vector.x), static_cast<double>(vector.y),
                     static_cast<double>(vector.z));
}

Json moment_json(const objects::Moment& moment) {
  return {{"frame", moment.frame}, {"seconds", rounded(moment.seconds, kLengthDigits)}};
}

Json tracked_json(const TrackedObject& object, const image::ClassMap& classes) {
  Json json = {{"id", object.id},
               {"class", classes.classes[object.label].name},
               {"state", objects::to_string(object.state)},
               {"confidence", rounded(object.confidence, kShareDigits)},
               {"class_probability", rounded(object.class_probability(), kShareDigits)},
               {"place", vector_json(object.place)},
               {"box", box_json(object.box)},
               {"sightings", object.sightings},
               {"first_seen", moment_json(object.first)},
               {"last_seen", moment_json(object.last)}};
  if (object.state == objects::ObjectState::kMoved) {
    json["moved_m"] = rounded(object.moved_m(), kLengthDigits);
    json["moved_from"] = vector_json(object.home);
  }
  return json;
}

/// What the tables tell of an object, besides id and class.
std::vector<std::string> tracked_facts(const TrackedObject& object) {
  return {objects::to_string(object.state), vector_text(object.box.center),
          vector_text(object.box.size),     fixed(static_cast<double>(object.confidence), 2),
          std::to_string(object.sightings), fixed(object.last.seconds, 1)};
}

const char* name_of(map::ObjectChange::Kind kind) {
  switch (kind) {
    case map::ObjectChange::Kind::kAppeared:
      return "appeared";
    case map::ObjectChange::Kind::kGone:
      return "gone";
    case map::ObjectChange::Kind::kMoved:
      return "moved";
  }
  return "";
}

}  // namespace

std::string map_objects_text(const MapObjects& objects) {
  if (objects.list.empty()) return "no objects\n";
  std::vector<TextColumn> columns = {right("id", 5),        left("class", 16),       left("state", 9),
                                     left("place, m", 20),  left("size, m", 15),     right("confidence", 10),
                                     right("sightings", 9), right("last seen s", 11)};
  if (objects.near) columns.push_back(right("distance m", 10));
  TextTable table(columns);
  for (const TrackedObject& object : objects.list) {
    std::vector<TextCell> row = {std::to_string(object.id), objects.classes.classes[object.label].name};
    for (const std::string& fact : tracked_facts(object)) row.emplace_back(fact);
    if (objects.near)
      row.push_back(fixed(static_cast<double>(objects::distance_m(object.box.center, *objects.near)), 2));
    table.row(row);
  }
  return table.text();
}

std::string map_objects_html(std::span<const TrackedObject> list, const image::ClassMap& classes) {
  using page::number_column;
  page::HtmlTable table({number_column("id"),
                         {"class"},
                         {"state"},
                         number_column("place, m"),
                         number_column("size, m"),
                         number_column("confidence"),
                         number_column("sightings"),
                         number_column("last seen, s")});
  for (const TrackedObject& object : list) {
    std::vector<std::string> row = {std::to_string(object.id), class_label(classes.classes[object.label])};
    for (const std::string& fact : tracked_facts(object)) row.push_back(fact);
    table.row(row);
  }
  return table.html();
}

std::string map_objects_json(const MapObjects& objects) {
  Json list = Json::array();
  for (const TrackedObject& object : objects.list) {
    list.push_back(tracked_json(object, objects.classes));
    if (objects.near)
      list.back()["distance_m"] = rounded(objects::distance_m(object.box.center, *objects.near), kLengthDigits);
  }
  return dump({{"schema_version", 1}, {"map", objects.map}, {"objects", list}});
}

std::string object_changes_text(const map::ObjectChanges& changes, const image::ClassMap& classes) {
  std::string text;
  for (const map::ObjectChange& change : changes.list) {
    const TrackedObject& object = change.after ? *change.after : *change.before;
    text += padded(name_of(change.kind), 10) + classes.classes[object.label].name;
    if (change.kind == map::ObjectChange::Kind::kMoved)
      text += " by " + fixed(change.moved_m, 2) + " m, from " + vector_text(change.before->box.center) + " to " +
              vector_text(object.box.center) + "\n";
    else
      text += ", at " + vector_text(object.box.center) + "\n";
  }
  return text + counted(changes.num_same, "object") + " unchanged, " + std::to_string(changes.num_unseen) +
         " at places that only one of the maps contains\n";
}

std::string object_changes_json(const map::ObjectChanges& changes, const image::ClassMap& classes,
                                const std::string& before, const std::string& after) {
  const auto object = [&](const std::optional<TrackedObject>& tracked) {
    return tracked ? tracked_json(*tracked, classes) : Json();
  };
  Json list = Json::array();
  for (const map::ObjectChange& change : changes.list)
    list.push_back({{"change", name_of(change.kind)},
                    {"before", object(change.before)},
                    {"after", object(change.after)},
                    {"moved_m", change.kind == map::ObjectChange::Kind::kMoved ? rounded(change.moved_m, kLengthDigits)
                                                                               : Json()}});
  return dump({{"schema_version", 1},
               {"map", after},
               {"since", before},
               {"changes", list},
               {"unchanged", changes.num_same},
               {"unseen", changes.num_unseen}});
}

}  // namespace fernwood::report
