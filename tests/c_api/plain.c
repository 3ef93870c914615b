/* SPDX-License-Identifier: MIT
 * Copyright The fernwood authors. */
#include "c_api/plain.h"

#include <stdlib.h>

#include "fernwood.h"

enum { ROWS = 24, COLS = 32 };

/* The left half is dark, the right half bright. */
static void paint(uint8_t* color, uint16_t* labels) {
  int row, col, c;
  for (row = 0; row < ROWS; ++row)
    for (col = 0; col < COLS; ++col) {
      const int bright = col >= COLS / 2;
      for (c = 0; c < 3; ++c) color[3 * (COLS * row + col) + c] = (uint8_t)(bright ? 220 : 20);
      labels[COLS * row + col] = (uint16_t)bright;
    }
}

static const char* train(const fernwood_frame* frame, const uint16_t* labels, const char* path) {
  static const char* const names[] = {"dark", "bright"};
  static const char* const options[] = {"algorithm=forest",   "trees=1",      "samples_per_frame=300",
                                        "min-samples=5", "max-offset=4", "max-half-extent=3",
                                        "device=cpu", "backbone=none"};
  fernwood_training training = FERNWOOD_TRAINING;
  fernwood_forest* forest = NULL;
  fernwood_status status;
  training.num_frames = 1;
  training.frames = frame;
  training.labels = &labels;
  training.num_classes = 2;
  training.class_names = names;
  training.options = options;
  training.num_options = sizeof(options) / sizeof(options[0]);
  status = fernwood_train(&training, &forest);
  if (status == FERNWOOD_OK) status = fernwood_forest_save(forest, path);
  fernwood_forest_free(forest);
  return status == FERNWOOD_OK ? NULL : fernwood_last_error();
}

static const char* label(const fernwood_frame* frame, const char* path, uint16_t* found) {
  fernwood_forest* forest = NULL;
  fernwood_predictor* predictor = NULL;
  fernwood_status status = fernwood_forest_load(path, &forest);
  if (status == FERNWOOD_OK) status = fernwood_predictor_new(forest, NULL, 0, &predictor);
  if (status == FERNWOOD_OK) status = fernwood_predict(predictor, frame, found, NULL);
  fernwood_predictor_free(predictor);
  fernwood_forest_free(forest);
  return status == FERNWOOD_OK ? NULL : fernwood_last_error();
}

const char* train_and_label_in_c(const char* path) {
  static uint8_t color[3 * ROWS * COLS];
  static uint16_t labels[ROWS * COLS], found[ROWS * COLS];
  fernwood_frame frame = FERNWOOD_FRAME;
  const char* failure;
  int i, right = 0;
  paint(color, labels);
  frame.rows = ROWS;
  frame.cols = COLS;
  frame.color = color;
  failure = train(&frame, labels, path);
  if (failure == NULL) failure = label(&frame, path, found);
  if (failure != NULL) return failure;
  for (i = 0; i < ROWS * COLS; ++i) right += found[i] == labels[i];
  return right > ROWS * COLS * 9 / 10 ? NULL : "less than 90 % of the pixels are right";
}
