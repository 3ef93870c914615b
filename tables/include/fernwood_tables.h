/* SPDX-License-Identifier: MIT
 * Copyright The fernwood authors.
 *
 * The C interface of fernwood-tables, for C and every language that can call C: link with libfernwood_tables_c. The
 * rules are those of fernwood.h: functions that can fail return a fernwood_status, and fernwood_last_error() describes
 * the error; handles are opaque, and each is freed once; options are strings "name=value". A forest may be used from
 * many threads at once, a predictor from one at a time. */
#ifndef FERNWOOD_TABLES_H
#define FERNWOOD_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "fernwood_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Forests over records: rows of attributes ---- */

typedef struct fernwood_record_forest fernwood_record_forest;

fernwood_status fernwood_record_forest_load(const char* path, fernwood_record_forest** forest);
/* Reads a model of another library, in the formats of `fernwood-tables import`. */
fernwood_status fernwood_record_forest_import(const char* path, fernwood_record_forest** forest);
fernwood_status fernwood_record_forest_save(const fernwood_record_forest* forest, const char* path);
void fernwood_record_forest_free(fernwood_record_forest* forest);

size_t fernwood_record_forest_num_attributes(const fernwood_record_forest* forest);
size_t fernwood_record_forest_num_classes(const fernwood_record_forest* forest);
const char* fernwood_record_forest_class_name(const fernwood_record_forest* forest, size_t index);
/* Number of predicted values of a regression forest; 0 for a forest with classes. */
size_t fernwood_record_forest_num_targets(const fernwood_record_forest* forest);
const char* fernwood_record_forest_target_name(const fernwood_record_forest* forest, size_t index);
/* Number of sums over trees, from which class probabilities or target values are computed. */
size_t fernwood_record_forest_num_outputs(const fernwood_record_forest* forest);
size_t fernwood_record_forest_num_trees(const fernwood_record_forest* forest);

typedef struct fernwood_record_predictor fernwood_record_predictor;

/* @param options  Those of `fernwood-tables predict`: strategy, values, device, threads, remember, iterations. */
fernwood_status fernwood_record_predictor_new(const fernwood_record_forest* forest, const char* const* options,
                                              size_t num_options, fernwood_record_predictor** predictor);
void fernwood_record_predictor_free(fernwood_record_predictor* predictor);

/* Records in the caller's memory, by rows (attribute_step 1, record_step at least num_attributes) or by columns
 * (record_step 1, attribute_step at least num_records). Unknown values are NaN. */
typedef struct fernwood_records {
  const float* values;
  size_t num_records, num_attributes;
  size_t record_step;    /* Floats from one record to the next. */
  size_t attribute_step; /* Floats from one attribute to the next. */
} fernwood_records;

/* Converts a text category, in imported models of CatBoost, to an attribute value; whole numbers are passed as decimal
 * text. The value holds the bits of a hash, may be NaN, and must not be used in arithmetic. @param text  [size] */
float fernwood_record_category(const char* text, size_t size);

/* Classifies records. A predictor serves one call at a time. @param classes  [records], written.
 * @return  FERNWOOD_USAGE if the forest has no classes. */
fernwood_status fernwood_classify(fernwood_record_predictor* predictor, const fernwood_records* records,
                                  int32_t* classes);
/* Computes probabilities of all classes, or values of all targets.
 * @param predicted  [records][classes or targets], written. */
fernwood_status fernwood_record_predict(fernwood_record_predictor* predictor, const fernwood_records* records,
                                        double* predicted);
/* Computes sums over trees; for an imported model, those of the original library.
 * @param margins  [records][outputs], written. */
fernwood_status fernwood_record_margins(fernwood_record_predictor* predictor, const fernwood_records* records,
                                        double* margins);
/* Finds the leaf that a record reaches in each tree; for an imported model, by the original library's numbers.
 * @param leaves  [records][trees], written; with the option iterations, only trees of these iterations. */
fernwood_status fernwood_record_leaves(fernwood_record_predictor* predictor, const fernwood_records* records,
                                       int32_t* leaves);

#ifdef __cplusplus
}
#endif

#endif
