/* SPDX-License-Identifier: MIT
 * Copyright The fernwood authors.
 *
 * fernwood for C, and for whatever can call C: link with libfernwood_c. docs/reference/c_api.md shows how.
 *
 * - Functions that can fail return a fernwood_status; fernwood_last_error() tells in a sentence what went wrong. No
 *   exception passes, nothing is printed, and the program is never ended.
 * - Handles are opaque. Each is freed once, in any order; NULL may be freed, and is a usage error elsewhere. A
 *   forest may be used from many threads at once, a predictor from one at a time.
 * - Options are texts "name=value" with the names and values of the command line and its --config files:
 *   "max-depth=8", "device=cuda:0". */
#ifndef FERNWOOD_H
#define FERNWOOD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows whenever this header does. Structures begin with their size: a program that was built with a header of other
 * structures is refused with a sentence, not misread. */
#define FERNWOOD_C_VERSION 3

/* What fernwood_c_version() returns is the library's, FERNWOOD_C_VERSION the header's. */
int fernwood_c_version(void);
/* Of fernwood: "0.1.0". */
const char* fernwood_version(void);

/* The same numbers as the program's exit codes. */
typedef enum fernwood_status {
  FERNWOOD_OK = 0,
  FERNWOOD_RUNTIME = 1,      /* Reading, writing or another operation failed. */
  FERNWOOD_USAGE = 2,        /* An argument or an option is out of its range or contradicts another. */
  FERNWOOD_DATA = 3,         /* Frames or records break a rule. */
  FERNWOOD_DEVICE = 4,       /* A device is missing or refused to work. */
  FERNWOOD_MODEL = 5,        /* A model file is damaged, too new or does not fit the data. */
  FERNWOOD_RESOURCE = 6,     /* Memory or disk space ran out. */
  FERNWOOD_INTERRUPTED = 130 /* The progress function asked to stop. */
} fernwood_status;

/* What went wrong in this thread's last call that failed; "" when none has. Valid until the thread's next call. */
const char* fernwood_last_error(void);

/* ---- Frames ---- */

typedef enum fernwood_depth_type {
  FERNWOOD_DEPTH_MM = 0, /* uint16_t, millimetres; 0 = unknown */
  FERNWOOD_DEPTH_M = 1   /* float, metres; NaN, infinite and not above 0 = unknown */
} fernwood_depth_type;

/* A depth camera beside the colour camera: depth is moved to the pixels of colour before anything else is done with
 * it, each pixel a square at its depth, the nearest of several counts. Begin with FERNWOOD_DEPTH_CAMERA. */
typedef struct fernwood_depth_camera {
  size_t struct_size;        /* sizeof(fernwood_depth_camera) */
  size_t rows, cols;         /* Of the depth image. */
  float fx, fy, cx, cy;      /* Focal lengths and principal point in pixels of the depth image. */
  float distortion[8];       /* k1, k2, p1, p2, k3, k4, k5, k6 as OpenCV has them; 0: none */
  float color_distortion[8]; /* The same of the colour camera. */
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

/* A picture of a depth camera in the caller's memory. Colour, depth or both: pixel (x, y) of one shows what that of
 * the other shows. Begin with FERNWOOD_FRAME, so that what is not set has its default. */
typedef struct fernwood_frame {
  size_t struct_size;   /* sizeof(fernwood_frame) */
  size_t rows, cols;    /* Pixels, each at least 1. */
  const uint8_t* color; /* 8-bit red, green, blue; NULL: no colour */
  size_t color_stride;  /* Bytes from row to row; 0: 3 * cols */
  const void* depth;    /* NULL: no depth */
  size_t depth_stride;  /* Bytes from row to row; 0: those of cols numbers */
  fernwood_depth_type depth_type;
  float fx, fy, cx, cy; /* The camera: focal lengths and principal point in pixels of this frame; fx = 0: not known */
  float up[3];          /* Where up is: x to the right, y down, z ahead; all 0: the camera is held upright */
  const float* maps;    /* [map][row][col] Feature maps of the caller's, as fine as the frame or coarser, each reaching
                           over all of it; NaN is unknown. NULL: none. In training with maps every frame has as many. */
  size_t num_maps, map_rows, map_cols;
  /* Of depth that is not registered to colour: then fx is needed, and depth has the rows and columns that this says.
     NULL: pixel (x, y) of both shows the same. */
  const fernwood_depth_camera* depth_camera;
  /* Where the camera is, [3][4] row by row: p_room = pose[.][0..2] p_camera + pose[.][3], in metres; the labels of a
     video follow it, with the option "steady". NULL: not known, motion is found by depth. */
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
/* The file that the program writes, byte for byte. It appears whole or not at all. */
fernwood_status fernwood_forest_save(const fernwood_forest* forest, const char* path);
void fernwood_forest_free(fernwood_forest* forest);

/* 0 for NULL. */
size_t fernwood_forest_num_classes(const fernwood_forest* forest);
/* UTF-8, valid as long as the forest; NULL when there is no such class. */
const char* fernwood_forest_class_name(const fernwood_forest* forest, size_t index);
/* rgb[3] is written. */
fernwood_status fernwood_forest_class_color(const fernwood_forest* forest, size_t index, uint8_t* rgb);

typedef struct fernwood_predictor fernwood_predictor;

/* Readies a device to label frames. @param options  As of `fernwood predict`: device, threads, grid, smooth … */
fernwood_status fernwood_predictor_new(const fernwood_forest* forest, const char* const* options, size_t num_options,
                                       fernwood_predictor** predictor);
void fernwood_predictor_free(fernwood_predictor* predictor);

/* Labels a frame. One call at a time for a predictor.
 * @param labels         [rows][cols], written: indices of classes, or FERNWOOD_VOID
 * @param probabilities  [classes][rows][cols], written; NULL: not asked for */
fernwood_status fernwood_predict(fernwood_predictor* predictor, const fernwood_frame* frame, uint16_t* labels,
                                 float* probabilities);

/* The number of the GPU that labels, -1: the CPU. */
int fernwood_predictor_gpu(const fernwood_predictor* predictor);

/* Labels a frame whose images lie in the memory of the device that labels, and leaves the answer there. A GPU's work is
 * enqueued in a stream of the caller's, and the function does not wait for it, but for the first frame and for one of
 * another size than the frame before. Images and arrays stay until the stream has passed them. One call at a time for
 * a predictor; frames may come in several streams.
 * @param labels         [rows][cols], written: indices of classes, or FERNWOOD_VOID
 * @param labels_stride  Bytes from row to row; 0: those of cols numbers
 * @param probabilities  [classes][rows][cols], written; NULL: not asked for
 * @param stream         A cudaStream_t of that GPU, NULL: its default stream; not looked at for the CPU, whose work is
 *                       done when the function returns */
fernwood_status fernwood_predict_on_device(fernwood_predictor* predictor, const fernwood_frame* frame, uint16_t* labels,
                                           size_t labels_stride, float* probabilities, void* stream);

/* ---- Training ---- */

/* How far a training is, from one thread at a time. @param done  Of the phase, from 0 to 1.
 * @return  Not 0: stop; fernwood_train() then returns FERNWOOD_INTERRUPTED. */
typedef int (*fernwood_progress)(void* user, const char* phase, double done);
/* A sentence for the user that is no failure, for example that a class has no pixel. */
typedef void (*fernwood_warning)(void* user, const char* sentence);

/* What of a frame is asked for. */
typedef enum fernwood_wanted {
  FERNWOOD_WANT_SIZE,   /* Its rows and cols */
  FERNWOOD_WANT_IMAGES, /* The whole frame */
  FERNWOOD_WANT_LABELS  /* Its rows and cols, and its labels */
} fernwood_wanted;
/* Makes a frame that is needed, from several threads at a time and each as often as it is needed; the same pixels each
 * time. More than is asked for may be written. @param frame  As FERNWOOD_FRAME, to be filled. @return  Not 0: it cannot
 * be had, which ends the training. */
typedef int (*fernwood_read_frame)(void* user, size_t index, fernwood_wanted wanted, fernwood_frame* frame,
                                   const uint16_t** labels);
/* What read_frame made, on the same thread, is needed no more. */
typedef void (*fernwood_release_frame)(void* user, size_t index);

/* What a training learns from. Begin with FERNWOOD_TRAINING. All that is pointed to stays where it is until
 * fernwood_train() returns; frames are read when they are needed, and not copied before. */
typedef struct fernwood_training {
  size_t struct_size; /* sizeof(fernwood_training) */
  size_t num_frames;
  const fernwood_frame* frames;  /* [num_frames] all with colour, or none; likewise depth */
  const uint16_t* const* labels; /* [num_frames] each [rows][cols]: indices of classes, or FERNWOOD_VOID */
  const uint32_t* groups;        /* [num_frames] frames of one scene have one number; NULL: none belong together */
  size_t num_classes;
  const char* const* class_names; /* [num_classes] UTF-8 */
  const uint8_t* class_colors;    /* [num_classes][3], each another; NULL: some that differ */
  const char* const* options;     /* [num_options] as of `fernwood train`: preset, kind, optimize, trees, seed … */
  size_t num_options;
  const char* checkpoint;         /* A file that is written now and then, and when training is stopped; NULL: none */
  int resume;                     /* Not 0: go on from the checkpoint */
  fernwood_progress progress;     /* NULL: none */
  fernwood_warning warning;       /* NULL: none */
  void* user;                     /* Handed to all functions. */
  fernwood_read_frame read_frame; /* In place of frames and labels, which need not fit into memory; NULL: these */
  fernwood_release_frame release_frame; /* NULL: nothing is to be done then */
} fernwood_training;

#define FERNWOOD_TRAINING \
  { sizeof(fernwood_training), 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL }

/* Trains a forest: the one that the program trains on files with the same pixels, classes, groups and options. */
fernwood_status fernwood_train(const fernwood_training* training, fernwood_forest** forest);

/* ---- Forests over records: rows of attributes ---- */

typedef struct fernwood_record_forest fernwood_record_forest;

fernwood_status fernwood_record_forest_load(const char* path, fernwood_record_forest** forest);
/* A model of another library, as `fernwood records import` takes it. */
fernwood_status fernwood_record_forest_import(const char* path, fernwood_record_forest** forest);
fernwood_status fernwood_record_forest_save(const fernwood_record_forest* forest, const char* path);
void fernwood_record_forest_free(fernwood_record_forest* forest);

size_t fernwood_record_forest_num_attributes(const fernwood_record_forest* forest);
size_t fernwood_record_forest_num_classes(const fernwood_record_forest* forest);
const char* fernwood_record_forest_class_name(const fernwood_record_forest* forest, size_t index);
/* Values that it predicts, of a forest that has no classes: a regressor's. */
size_t fernwood_record_forest_num_targets(const fernwood_record_forest* forest);
const char* fernwood_record_forest_target_name(const fernwood_record_forest* forest, size_t index);
/* Sums over trees, which become probabilities of classes or values of targets. */
size_t fernwood_record_forest_num_outputs(const fernwood_record_forest* forest);
size_t fernwood_record_forest_num_trees(const fernwood_record_forest* forest);

typedef struct fernwood_record_predictor fernwood_record_predictor;

/* @param options  As of `fernwood records predict`: strategy, values, device, threads, remember,
 * iterations. */
fernwood_status fernwood_record_predictor_new(const fernwood_record_forest* forest, const char* const* options,
                                              size_t num_options, fernwood_record_predictor** predictor);
void fernwood_record_predictor_free(fernwood_record_predictor* predictor);

/* Records in the caller's memory, by rows (record_step: attributes or more, attribute_step: 1) or by columns (1,
 * records or more). Unknown values are NaN. */
typedef struct fernwood_records {
  const float* values;
  size_t num_records, num_attributes;
  size_t record_step;    /* Floats from a record to the next. */
  size_t attribute_step; /* Floats from an attribute to the next. */
} fernwood_records;

/* The value of an attribute whose values are texts, as of imported models of CatBoost; of whole numbers their decimal
 * text. Not to calculate with: it has the bits of a hash, and may be NaN. @param text  [size] */
float fernwood_record_category(const char* text, size_t size);

/* Gives records their classes. One call at a time for a predictor. @param classes  [records], written. FERNWOOD_USAGE
 * where the forest has no classes. */
fernwood_status fernwood_classify(fernwood_record_predictor* predictor, const fernwood_records* records,
                                  int32_t* classes);
/* Probabilities of all classes, or values of all targets. @param predicted  [records][classes or targets], written. */
fernwood_status fernwood_record_predict(fernwood_record_predictor* predictor, const fernwood_records* records,
                                        double* predicted);
/* Sums over trees, the library's own where a model was imported. @param margins  [records][outputs], written. */
fernwood_status fernwood_record_margins(fernwood_record_predictor* predictor, const fernwood_records* records,
                                        double* margins);
/* The number of the leaf of each tree that records end in: the library's where a model was imported.
 * @param leaves  [records][trees], of the option iterations their trees, written. */
fernwood_status fernwood_record_leaves(fernwood_record_predictor* predictor, const fernwood_records* records,
                                       int32_t* leaves);

#ifdef __cplusplus
}
#endif

#endif
