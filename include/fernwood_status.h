/* SPDX-License-Identifier: MIT
 * Copyright The fernwood authors.
 *
 * Versions and errors of the C interfaces, fernwood.h and fernwood_tables.h. Each library has these functions of its
 * own, so a program links one of libfernwood_c and libfernwood_tables_c. */
#ifndef FERNWOOD_STATUS_H
#define FERNWOOD_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the headers; it increases whenever one grows. Structures begin with their size, so a program built
 * with a header whose structures differ gets an error message instead of misread data. */
#define FERNWOOD_C_VERSION 1

/* FERNWOOD_C_VERSION of the headers that the library was built with. */
int fernwood_c_version(void);
/* Version of fernwood, for example "0.1.0". */
const char* fernwood_version(void);

/* The same numbers as the program's exit codes. */
typedef enum fernwood_status {
  FERNWOOD_OK = 0,
  FERNWOOD_RUNTIME = 1,      /* Reading, writing or another operation failed. */
  FERNWOOD_USAGE = 2,        /* An argument or an option is out of range or contradicts another. */
  FERNWOOD_DATA = 3,         /* Frames or records are invalid. */
  FERNWOOD_DEVICE = 4,       /* A device is missing or failed. */
  FERNWOOD_MODEL = 5,        /* A model file is damaged, too new or does not fit the data. */
  FERNWOOD_RESOURCE = 6,     /* Memory or disk space ran out. */
  FERNWOOD_INTERRUPTED = 130 /* The progress function requested a stop. */
} fernwood_status;

/* Description of the last error in the calling thread; "" if no call has failed. Valid until the thread's next call. */
const char* fernwood_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
