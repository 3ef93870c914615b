// SPDX-License-Identifier: MIT
// Copyright The fernwood authors.
#include "fernwood/image/labels.h"

namespace fernwood::image {

std::span<const Rgb> class_palette() {
  // Found by maximising the minimum distance: the first ten together, each further colour in turn.
  static constexpr Rgb kColors[] = {{150, 195, 105}, {0, 150, 225},   {240, 180, 0},  {225, 45, 0},    {105, 45, 120},
                                    {120, 45, 30},   {15, 105, 255},  {240, 75, 135}, {0, 210, 210},   {0, 0, 255},
                                    {105, 0, 180},   {210, 210, 180}, {210, 15, 180}, {0, 75, 75},     {150, 120, 75},
                                    {90, 210, 255},  {165, 255, 105}, {225, 255, 0},  {0, 135, 120},   {180, 255, 255},
                                    {45, 135, 15},   {150, 255, 165}, {195, 165, 60}, {240, 135, 180}, {15, 45, 135},
                                    {225, 150, 135}, {90, 105, 75},   {0, 135, 255},  {210, 75, 165},  {30, 75, 255},
                                    {120, 0, 60},    {165, 150, 210}};
  return kColors;
}

}  // namespace fernwood::image
