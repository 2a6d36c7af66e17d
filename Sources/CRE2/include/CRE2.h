// RE2 behind a C interface: no C++ type and no exception leaves this module.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// A compiled pattern. Threads may match one at the same time.
typedef struct cre2_pattern cre2_pattern;

enum cre2_problem {
    CRE2_NONE,
    // RE2 does not take the syntax.
    CRE2_SYNTAX,
    // The program needs more than max_memory, or a repetition of repetitions more than RE2 unrolls.
    CRE2_TOO_LARGE,
    CRE2_OUT_OF_MEMORY,
};

// Compiles ASCII text in RE2 syntax; NULL, and why, when that fails. max_memory bounds, in bytes, the program and the
// automata that matching builds from it.
cre2_pattern *cre2_compile(const char *text, size_t length, size_t max_memory, enum cre2_problem *problem);

void cre2_free(cre2_pattern *pattern);

// How many instructions a byte of input can cost at most.
size_t cre2_instructions(const cre2_pattern *pattern);

// Whether the pattern is found anywhere in the bytes.
bool cre2_matches(const cre2_pattern *pattern, const void *bytes, size_t length);

#ifdef __cplusplus
}
#endif
