/* SPDX-License-Identifier: MIT
 * Copyright The fernwood authors. */
#ifndef FERNWOOD_TESTS_PLAIN_H
#define FERNWOOD_TESTS_PLAIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Trains, saves, loads and labels in C. @param path  Model file to write. @return  NULL, or an error message. */
const char* train_and_label_in_c(const char* path);

#ifdef __cplusplus
}
#endif

#endif
