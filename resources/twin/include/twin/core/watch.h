// Tells a launch that takes too long from one on a busy machine. Part of twin/device.h.
//
// The clock on the wall says nothing about a kernel: a loaded machine stretches it. What decides is the CPU
// time the launch used (a slow kernel, an endless loop) and whether its threads sleep although one of them
// should compute (a wait for something outside the simulation, which nobody ends; waits inside are the
// scheduler's to judge).
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>

#include "twin/core/scalar_work.h"

#if defined(__linux__)
#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#endif

namespace twin {

/// CPU seconds of this process, all threads together.
inline double process_cpu_s() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// Whether a thread of this process other than the caller computes, waits for a CPU or for a disk. True where
/// the system does not say.
inline bool another_thread_is_awake() {
#if defined(__linux__)
    DIR* const tasks = opendir("/proc/self/task");
    if (tasks == nullptr) return true;
    const long own = syscall(SYS_gettid);
    bool awake = false;
    while (const dirent* task = readdir(tasks)) {
        if (task->d_name[0] == '.' || std::strtol(task->d_name, nullptr, 10) == own) continue;
        char path[300];
        char line[512] = "";
        std::snprintf(path, sizeof(path), "/proc/self/task/%s/stat", task->d_name);
        if (std::FILE* const file = std::fopen(path, "re")) {
            if (std::fgets(line, sizeof(line), file) != nullptr) {
                const char* const name_end = std::strrchr(line, ')');
                awake = awake || (name_end != nullptr && (name_end[2] == 'R' || name_end[2] == 'D'));
            }
            std::fclose(file);
        }
    }
    closedir(tasks);
    return awake;
#else
    return true;
#endif
}

class Watch {
public:
    enum class Sight { goes_on, slow, asleep };
    using Seconds = std::chrono::duration<double>;

    /// `limit_s`: CPU seconds the launch may use, and seconds it may sleep at a stretch. A simulator whose
    /// kernel `is_elsewhere` sleeps while that computes: what ends then is the kernel's process.
    Watch(double limit_s, bool is_elsewhere)
        : limit_s_(limit_s),
          is_elsewhere_(is_elsewhere),
          cpu_start_(process_cpu_s()),
          cpu_seen_(cpu_start_) {}

    /// When to look again.
    std::chrono::steady_clock::time_point next() const {
        constexpr double kShortest = 1e-3, kLongest = 0.25;
        const double left = limit_s_ - (process_cpu_s() - cpu_start_);
        const Seconds pause(
            std::clamp(left, kShortest, std::min(kLongest, std::max(limit_s_ / 4, kShortest))));
        return std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(pause);
    }

    Sight look() {
        constexpr double kAwakeShare = 0.02;  // of a CPU: the watch itself takes a thousandth
        const double cpu = process_cpu_s();
        const auto now = std::chrono::steady_clock::now();
        if (cpu - cpu_start_ >= limit_s_) return Sight::slow;
        const bool worked = cpu - cpu_seen_ > kAwakeShare * Seconds(now - looked_).count();
        cpu_seen_ = cpu;
        looked_ = now;
        if (worked || is_elsewhere_ || another_thread_is_awake()) awake_ = now;
        return Seconds(now - awake_).count() >= limit_s_ ? Sight::asleep : Sight::goes_on;
    }

private:
    double limit_s_;
    bool is_elsewhere_;
    double cpu_start_;
    double cpu_seen_;
    std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point awake_ = looked_;
};

}  // namespace twin
