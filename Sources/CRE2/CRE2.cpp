#include "CRE2.h"

#include <exception>
#include <new>

#include <re2/re2.h>

struct cre2_pattern {
    RE2 expression;

    cre2_pattern(const re2::StringPiece &text, const RE2::Options &options) : expression(text, options) {}
};

static cre2_problem problem_of(RE2::ErrorCode code) {
    switch (code) {
    case RE2::NoError: return CRE2_NONE;
    case RE2::ErrorRepeatSize:
    case RE2::ErrorPatternTooLarge: return CRE2_TOO_LARGE;
    default: return CRE2_SYNTAX;
    }
}

cre2_pattern *cre2_compile(const char *text, size_t length, size_t max_memory, cre2_problem *problem) {
    try {
        RE2::Options options;
        options.set_max_mem(static_cast<int64_t>(max_memory));
        options.set_log_errors(false);
        options.set_never_capture(true);
        auto pattern = new cre2_pattern(re2::StringPiece(text, length), options);
        *problem = problem_of(pattern->expression.error_code());
        if (*problem == CRE2_NONE) return pattern;
        delete pattern;
    } catch (const std::exception &) {
        // Allocation is all that throws here.
        *problem = CRE2_OUT_OF_MEMORY;
    }
    return nullptr;
}

void cre2_free(cre2_pattern *pattern) { delete pattern; }

size_t cre2_instructions(const cre2_pattern *pattern) { return static_cast<size_t>(pattern->expression.ProgramSize()); }

bool cre2_matches(const cre2_pattern *pattern, const void *bytes, size_t length) {
    re2::StringPiece text(static_cast<const char *>(bytes), length);
    return pattern->expression.Match(text, 0, length, RE2::UNANCHORED, nullptr, 0);
}
