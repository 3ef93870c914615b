/* SPDX-License-Identifier: MIT
 * Copyright The fernwood authors.
 *
 * The C interface of fernwood, for C and every language that can call C: link with libfernwood_c. Examples are in
 * docs/reference/c_api.md.
 *
 * - Functions that can fail return a fernwood_status; fernwood_last_error() describes the error. No C++ exception
 *   escapes, nothing is printed, and the process is never terminated.
 * - Handles are opaque. Each is freed once, in any order; freeing NULL is allowed, passing it to another function is a
 *   usage error. A forest may be used from many threads at once, a predictor from one at a time.
 * - Options are strings "name=value" with the names and values of the command line and its --config files:
 *   "max-depth=8", "device=cuda:0". */
#ifndef FERNWOOD_H
#define FERNWOOD_H

#include <stddef.h>
#include <stdint.h>

#include "fernwood_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Frames ---- */

typedef enum fernwood_depth_type {
  FERNWOOD_DEPTH_MM = 0, /* uint16_t, millimetres; 0 = unknown */
  FERNWOOD_DEPTH_M = 1   /* float, metres; NaN, infinite and not above 0 = unknown */
} fernwood_depth_type;

/* A depth camera beside the colour camera. Its depth is first registered to the pixels of the colour image: each depth
 * pixel is projected as a square at its depth, and the nearest depth wins. Initialise with FERNWOOD_DEPTH_CAMERA. */
typedef struct fernwood_depth_camera {
  size_t struct_size;        /* sizeof(fernwood_depth_camera) */
  size_t rows, cols;         /* Size of the depth image. */
  float fx, fy, cx, cy;      /* Focal lengths and principal point in pixels of the depth image. */
  float distortion[8];       /* k1, k2, p1, p2, k3, k4, k5, k6 in OpenCV's order; 0: none */
  float color_distortion[8]; /* Distortion of the colour camera, likewise. */
  float rotation[9];         /* Row by row: p_color = rotation p_depth + translation. */
  float translation[3];      /* In metres. */
} fernwood_depth_camera;

#define FERNWOOD_DEPTH_CAMERA                                                                            \
  {                                                                                                      \
    sizeof(fernwood_depth_camera), 0, 0, 0, 0, 0, 0, {0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}, \
        {1, 0, 0, 0, 1, 0, 0, 0, 1}, {                                                                   \
      0, 0, 0                                                                                            \
    }                                                                                                    \
  }

/* A frame of an RGB-D camera in the caller's memory: colour, depth or both, where pixel (x, y) of both images shows
 * the same point. Initialise with FERNWOOD_FRAME, so that members that are not set have their defaults. */
typedef struct fernwood_frame {
  size_t struct_size;   /* sizeof(fernwood_frame) */
  size_t rows, cols;    /* Size in pixels, each at least 1. */
  const uint8_t* color; /* 8-bit red, green, blue; NULL: no colour */
  size_t color_stride;  /* Bytes from row to row; 0: rows are contiguous */
  const void* depth;    /* NULL: no depth */
  size_t depth_stride;  /* Bytes from row to row; 0: rows are contiguous */
  fernwood_depth_type depth_type;
  float fx, fy, cx, cy; /* The camera: focal lengths and principal point in pixels of this frame; fx = 0: not known */
  float up[3];          /* Upward direction: x to the right, y down, z ahead; all 0: the camera is held upright */
  const float* maps;    /* [map][row][col] Feature maps of the caller, each covering the whole frame at its resolution
                           or a coarser one; NaN is unknown. NULL: none. All frames of a training have equally many. */
  size_t num_maps, map_rows, map_cols;
  /* The depth camera, if depth is not registered to colour; depth then has its rows and columns, and fx is required.
     NULL: depth is registered. */
  const fernwood_depth_camera* depth_camera;
  /* Pose of the camera, [3][4] row by row: p_room = pose[.][0..2] p_camera + pose[.][3], in metres. The option "steady"
     transfers the labels of a video along it. NULL: not known; motion is then estimated from depth. */
  const float* pose;
} fernwood_frame;

#define FERNWOOD_FRAME                                                                                             \
  {                                                                                                                \
    sizeof(fernwood_frame), 0, 0, NULL, 0, NULL, 0, FERNWOOD_DEPTH_MM, 0, 0, 0, 0, {0, 0, 0}, NULL, 0, 0, 0, NULL, \
        NULL                                                                                                       \
  }

#define FERNWOOD_VOID 65535 /* The label of a pixel that has no class. */

/* ---- Forests over pixels ---- */

typedef struct fernwood_forest fernwood_forest;

fernwood_status fernwood_forest_load(const char* path, fernwood_forest** forest);
/* Writes the same bytes as the program, as an atomic file: it appears complete or not at all. */
fernwood_status fernwood_forest_save(const fernwood_forest* forest, const char* path);
void fernwood_forest_free(fernwood_forest* forest);

/* Returns 0 for NULL. */
size_t fernwood_forest_num_classes(const fernwood_forest* forest);
/* UTF-8, valid as long as the forest; NULL if index is out of range. */
const char* fernwood_forest_class_name(const fernwood_forest* forest, size_t index);
/* @param rgb  [3], written. @return  FERNWOOD_USAGE if index is out of range. */
fernwood_status fernwood_forest_class_color(const fernwood_forest* forest, size_t index, uint8_t* rgb);

typedef struct fernwood_predictor fernwood_predictor;

/* Prepares a device for labelling. @param options  Those of `fernwood predict`: device, threads, interpolate, smooth …
 *                                  For fernwood_predict_objects() also things, object-gap, min-object-area. */
fernwood_status fernwood_predictor_new(const fernwood_forest* forest, const char* const* options, size_t num_options,
                                       fernwood_predictor** predictor);
void fernwood_predictor_free(fernwood_predictor* predictor);

/* Labels a frame. A predictor serves one call at a time.
 * @param labels         [rows][cols], written: indices of classes, or FERNWOOD_VOID
 * @param probabilities  [classes][rows][cols], written; NULL: not computed */
fernwood_status fernwood_predict(fernwood_predictor* predictor, const fernwood_frame* frame, uint16_t* labels,
                                 float* probabilities);

/* An object in a frame: a connected surface of one class. Lengths are in metres; places are in coordinates of the
 * camera (x to the right, y down, z ahead) or, if the frame has a pose, of the room. All lengths are 0 where all depth
 * is unknown. */
typedef struct fernwood_object {
  uint16_t number;  /* Value of its pixels, from 1. */
  uint16_t label;   /* Index of its class. */
  float confidence; /* Mean probability of this class. */
  uint32_t num_pixels;
  int32_t left, top, right, bottom; /* First and last column and row. */
  int32_t touches_border;           /* Not 0: the edge of the frame cuts it off. */
  float area_m2;                    /* Of the visible surface. */
  float distance_m;                 /* From the camera to the nearest point. */
  float place[3];                   /* Mean of the visible points. */
  float box_center[3];              /* The box around the visible points. */
  float box_axes[9];                /* Row by row, of length 1: two level axes, the longer side first, and up. */
  float box_size[3];                /* Along these axes. */
} fernwood_object;

/* Labels a frame with depth, and finds the objects in the labels. Best with the option "smooth=80": each wrong patch of
 * labels could be an object. A predictor serves one call at a time.
 * @param labels       [rows][cols], written as by fernwood_predict(); NULL: not wanted
 * @param numbers      [rows][cols], written: the number of the object at each pixel, 0 for none; NULL: not wanted
 * @param object_size  sizeof(fernwood_object)
 * @param objects      [max_objects], written in the order of their numbers; NULL if max_objects is 0
 * @param num_objects  Written: the number of all objects, which may exceed max_objects. */
fernwood_status fernwood_predict_objects(fernwood_predictor* predictor, const fernwood_frame* frame, uint16_t* labels,
                                         uint16_t* numbers, size_t object_size, fernwood_object* objects,
                                         size_t max_objects, size_t* num_objects);

/* Index of the predictor's GPU; -1: the CPU. */
int fernwood_predictor_gpu(const fernwood_predictor* predictor);

/* Labels a frame in the memory of the predictor's device, and writes the results there. On a GPU the work is enqueued
 * in the caller's stream, and the function does not wait for it, except for the first frame and for a frame of another
 * size than the previous one. Images and output arrays must stay valid until the work has completed. A predictor serves
 * one call at a time; frames may be enqueued in several streams.
 * @param labels         [rows][cols], written: indices of classes, or FERNWOOD_VOID
 * @param labels_stride  Bytes from row to row; 0: rows are contiguous
 * @param probabilities  [classes][rows][cols], written; NULL: not computed
 * @param stream         A cudaStream_t of that GPU; NULL: its default stream. Ignored on the CPU, where the work is
 *                       complete when the function returns. */
fernwood_status fernwood_predict_on_device(fernwood_predictor* predictor, const fernwood_frame* frame, uint16_t* labels,
                                           size_t labels_stride, float* probabilities, void* stream);

/* ---- Training ---- */

/* Receives the progress of a training; called from one thread at a time. @param done  Share of the phase, from 0 to 1.
 * @return  Not 0: stop; fernwood_train() then returns FERNWOOD_INTERRUPTED. */
typedef int (*fernwood_progress)(void* user, const char* phase, double done);
/* Receives a warning for the user, for example that a class has no pixels. */
typedef void (*fernwood_warning)(void* user, const char* sentence);

/* Parts of a frame that a fernwood_read_frame must supply. */
typedef enum fernwood_wanted {
  FERNWOOD_WANT_SIZE,   /* rows and cols */
  FERNWOOD_WANT_IMAGES, /* The whole frame */
  FERNWOOD_WANT_LABELS  /* rows and cols, and the labels */
} fernwood_wanted;
/* Supplies a frame. Called from several threads at a time, and repeatedly for the same frame, which must have the same
 * pixels each time. It may supply more than wanted. @param frame  Initialised with FERNWOOD_FRAME, to be filled.
 * @return  Not 0: the frame is not available, and training fails. */
typedef int (*fernwood_read_frame)(void* user, size_t index, fernwood_wanted wanted, fernwood_frame* frame,
                                   const uint16_t** labels);
/* Releases the memory that read_frame supplied; called on the same thread. */
typedef void (*fernwood_release_frame)(void* user, size_t index);

/* Input of a training. Initialise with FERNWOOD_TRAINING. All memory that it points to must stay valid until
 * fernwood_train() returns; frames are read in place when they are needed. */
typedef struct fernwood_training {
  size_t struct_size; /* sizeof(fernwood_training) */
  size_t num_frames;
  const fernwood_frame* frames;  /* [num_frames] all with colour, or none; likewise depth */
  const uint16_t* const* labels; /* [num_frames] each [rows][cols]: indices of classes, or FERNWOOD_VOID */
  const uint32_t* groups;        /* [num_frames] the same number for all frames of a scene; NULL: no groups */
  size_t num_classes;
  const char* const* class_names; /* [num_classes] UTF-8 */
  const uint8_t* class_colors;    /* [num_classes][3], all different; NULL: chosen automatically */
  const char* const* options;     /* [num_options] those of `fernwood train`: preset, algorithm, optimize, trees … */
  size_t num_options;
  const char* checkpoint;         /* File that is written periodically, and when training is stopped; NULL: none */
  int resume;                     /* Not 0: continue from the checkpoint */
  fernwood_progress progress;     /* NULL: none */
  fernwood_warning warning;       /* NULL: none */
  void* user;                     /* Passed to all callbacks. */
  fernwood_read_frame read_frame; /* Replaces frames and labels if they do not fit into memory; NULL: not used */
  fernwood_release_frame release_frame; /* NULL: nothing to release */
} fernwood_training;

#define FERNWOOD_TRAINING \
  { sizeof(fernwood_training), 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL }

/* Trains a forest; the result equals the program's for files with the same pixels, classes, groups and options. */
fernwood_status fernwood_train(const fernwood_training* training, fernwood_forest** forest);

#ifdef __cplusplus
}
#endif

#endif
