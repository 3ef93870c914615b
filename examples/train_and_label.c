/* SPDX-License-Identifier: MIT
 * Copyright The fernwood authors.
 *
 * fernwood from C: trains a forest on frames that are in memory, saves it, labels a new frame and writes its classes as
 * a picture: train_and_label MODEL PICTURE.ppm */
#include <fernwood.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 96, COLS = 128, NUM_FRAMES = 4, FLOOR = 0, WALL = 1, BOX = 2, NUM_CLASSES = 3 };

static const char* const class_names[NUM_CLASSES] = {"floor", "wall", "box"};
static const uint8_t class_colors[NUM_CLASSES][3] = {{7, 54, 66}, {147, 161, 161}, {203, 75, 22}};
static const char* const train_options[] = {"algorithm=forest", "trees=3", "features=300", "samples-per-frame=1000"};

/* The images of a camera, and the labels that a person assigned. */
typedef struct {
  uint8_t color[ROWS][COLS][3];
  uint16_t depth_mm[ROWS][COLS], labels[ROWS][COLS];
} picture;

/* A box on a floor in front of a wall; the position depends on the number. */
static void paint(picture* p, int number) {
  const int left = 15 + 23 * number % 70, top = 45 + 7 * number % 20;
  int row, col, c;
  for (row = 0; row < ROWS; ++row)
    for (col = 0; col < COLS; ++col) {
      const int is_box = row >= top && row < top + 24 && col >= left && col < left + 30;
      const int label = is_box ? BOX : row < 50 ? WALL : FLOOR;
      const int shade = (31 * row + 17 * col + 7 * number) % 19;
      p->labels[row][col] = (uint16_t)label;
      p->depth_mm[row][col] = (uint16_t)(is_box ? 1500 : row < 50 ? 3000 : 3000 - 35 * (row - 50));
      for (c = 0; c < 3; ++c) p->color[row][col][c] = (uint8_t)(class_colors[label][c] + shade);
    }
}

static fernwood_frame frame_of(const picture* p) {
  fernwood_frame frame = FERNWOOD_FRAME;
  frame.rows = ROWS;
  frame.cols = COLS;
  frame.color = &p->color[0][0][0];
  frame.depth = p->depth_mm;
  return frame;
}

static int show_progress(void* user, const char* phase, double done) {
  (void)user;
  fprintf(stderr, "\r%s: %3.0f %% ", phase, 100 * done);
  return 0; /* continue */
}

static fernwood_status train(const picture* pictures, fernwood_forest** forest) {
  fernwood_frame frames[NUM_FRAMES];
  const uint16_t* labels[NUM_FRAMES];
  fernwood_training training = FERNWOOD_TRAINING;
  fernwood_status status;
  int i;
  for (i = 0; i < NUM_FRAMES; ++i) {
    frames[i] = frame_of(&pictures[i]);
    labels[i] = &pictures[i].labels[0][0];
  }
  training.num_frames = NUM_FRAMES;
  training.frames = frames;
  training.labels = labels;
  training.num_classes = NUM_CLASSES;
  training.class_names = class_names;
  training.class_colors = &class_colors[0][0];
  training.options = train_options;
  training.num_options = sizeof(train_options) / sizeof(train_options[0]);
  training.progress = show_progress;
  status = fernwood_train(&training, forest);
  fprintf(stderr, "\n");
  return status;
}

static fernwood_status label(const fernwood_forest* forest, const picture* p, uint16_t* labels) {
  const fernwood_frame frame = frame_of(p);
  fernwood_predictor* predictor = NULL;
  fernwood_status status = fernwood_predictor_new(forest, NULL, 0, &predictor);
  if (status == FERNWOOD_OK) status = fernwood_predict(predictor, &frame, labels, NULL);
  fernwood_predictor_free(predictor);
  return status;
}

/* @return  0, or 1 if the file cannot be written. */
static int write_picture(const fernwood_forest* forest, const uint16_t* labels, const char* path) {
  FILE* const file = fopen(path, "wb");
  int i;
  if (file == NULL) return 1;
  fprintf(file, "P6 %d %d 255\n", COLS, ROWS);
  for (i = 0; i < ROWS * COLS; ++i) {
    uint8_t rgb[3] = {0, 0, 0}; /* black for FERNWOOD_VOID */
    if (labels[i] != FERNWOOD_VOID) fernwood_forest_class_color(forest, labels[i], rgb);
    fwrite(rgb, 1, 3, file);
  }
  return fclose(file) == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  static picture pictures[NUM_FRAMES + 1];
  static uint16_t found[ROWS * COLS];
  fernwood_forest* forest = NULL;
  fernwood_status status;
  int i, right = 0;
  if (argc != 3) {
    fprintf(stderr, "usage: train_and_label MODEL PICTURE.ppm\n");
    return FERNWOOD_USAGE;
  }
  for (i = 0; i <= NUM_FRAMES; ++i) paint(&pictures[i], i);
  status = train(pictures, &forest);
  if (status == FERNWOOD_OK) status = fernwood_forest_save(forest, argv[1]);
  if (status == FERNWOOD_OK) status = label(forest, &pictures[NUM_FRAMES], found);
  if (status != FERNWOOD_OK) {
    fprintf(stderr, "%s\n", fernwood_last_error());
  } else {
    for (i = 0; i < ROWS * COLS; ++i) right += found[i] == (&pictures[NUM_FRAMES].labels[0][0])[i];
    printf("fernwood %s: %.1f %% of the pixels of a new frame are right\n", fernwood_version(),
           100.0 * right / (ROWS * COLS));
    if (write_picture(forest, found, argv[2]) != 0) status = FERNWOOD_RUNTIME;
  }
  fernwood_forest_free(forest);
  return (int)status;
}
