// The log of CANN's components: what operators note as an error or warning explains a failed tiling.
#pragma once

#ifdef TWIN_KERNEL_SIDE  // nobody reads a log of the kernel's
#define TWIN_SLOG(...) static_cast<void>(0)
#else
#include "twin/host/log.h"
#define TWIN_SLOG(...) ::twin::host::log_line(__VA_ARGS__)
#endif

constexpr int DLOG_DEBUG = 0, DLOG_INFO = 1, DLOG_WARN = 2, DLOG_ERROR = 3;
constexpr int OP = 63;  // the number of the operators' component

/// Whether lines of a level are kept.
inline int CheckLogLevel(int, int level) { return level >= DLOG_WARN ? 1 : 0; }

#define DlogRecord(module, level, ...) \
    ((level) >= DLOG_WARN ? TWIN_SLOG((level) == DLOG_WARN ? "warning" : "error", __VA_ARGS__) : void())
#define DLOG_TYPE_DEBUG 0
#define AlogRecord(module, type, level, ...) DlogRecord(module, level, __VA_ARGS__)
#define dlog_error(module, ...) TWIN_SLOG("error", __VA_ARGS__)
#define dlog_warn(module, ...) TWIN_SLOG("warning", __VA_ARGS__)
#define dlog_info(module, ...) static_cast<void>(0)
#define dlog_debug(module, ...) static_cast<void>(0)
