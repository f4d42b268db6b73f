// The log of CANN's components: what operators note as an error or warning explains a failed tiling.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#ifdef TWIN_KERNEL_SIDE  // nobody reads a log of the kernel's
#define TWIN_SLOG(...) static_cast<void>(0)
#else
#include "twin/host/log.h"
#define TWIN_SLOG(...) ::twin::host::log_line(__VA_ARGS__)
#endif

#ifndef DLOG_DEBUG
#define DLOG_DEBUG 0
#endif
#ifndef DLOG_INFO
#define DLOG_INFO 1
#endif
#ifndef DLOG_WARN
#define DLOG_WARN 2
#endif
#ifndef DLOG_ERROR
#define DLOG_ERROR 3
#endif
constexpr int OP = 63;  // the number of the operators' component

// C functions, which projects may declare once more.
extern "C" {
/// Whether lines of a level are kept.
inline int32_t CheckLogLevel(int32_t, int32_t level) { return level >= DLOG_WARN ? 1 : 0; }
inline void DlogRecord(int32_t, int32_t level, const char* format, ...) {
    if (level < DLOG_WARN) return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    TWIN_SLOG(level == DLOG_WARN ? "warning" : "error", "%s", line);
}
}
#define DLOG_TYPE_DEBUG 0
#define AlogCheckDebugLevel(module, level) CheckLogLevel(module, level)
#define AlogRecord(module, type, level, ...) DlogRecord(module, level, __VA_ARGS__)
#define dlog_error(module, ...) TWIN_SLOG("error", __VA_ARGS__)
#define dlog_warn(module, ...) TWIN_SLOG("warning", __VA_ARGS__)
#define dlog_info(module, ...) static_cast<void>(0)
#define dlog_debug(module, ...) static_cast<void>(0)
