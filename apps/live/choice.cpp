// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "apps/live/choice.h"

namespace fernwood::apps {

namespace {

constexpr int kEscape = 27;

/// `last` is followed by `first`.
int next_of(int value, int first, int last) { return value < last ? value + 1 : first; }

}  // namespace

void LiveChoice::press(int key) {
  const int num_classes = static_cast<int>(hidden.size());
  switch (key) {
    case ' ':
      paused = !paused;
      break;
    case 'n':
      paused = step = true;
      break;
    case 's':
      save = true;
      break;
    case 'v':
      view = static_cast<View>((static_cast<int>(view) + 1) % 5);
      break;
    case 'p':
      probability_of = next_of(probability_of, -1, num_classes - 1);
      break;
    case 'e':
      // A tree that is the only one is all trees.
      explained_by = next_of(explained_by, kNoTree, num_trees > 1 ? static_cast<int>(num_trees) : kAllTrees);
      break;
    case 'q':
    case kEscape:
      quit = true;
      break;
    default:
      if (key < '0' || key > '9') break;
      const int c = key == '0' ? 9 : key - '1';
      if (c < num_classes) hidden[static_cast<std::size_t>(c)] = !hidden[static_cast<std::size_t>(c)];
  }
}

}  // namespace fernwood::apps
