// Rules the twin checks and the folded list of what they found.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "twin/core/site.h"
#include "twin/launch.h"

namespace twin {

enum class Severity { note, warning, hazard, error };

constexpr const char* severity_name(Severity severity) {
    constexpr const char* names[] = {"note", "warning", "hazard", "error"};
    return names[static_cast<int>(severity)];
}

/// One checked rule; `document` names the part of the Ascend C documentation it comes from.
struct Rule {
    const char* name;
    Severity severity;
    const char* document;
};

namespace rules {
inline constexpr const char* kHardware = "Ascend C guide, hardware constraints (NPU architecture 2201)";
inline constexpr const char* kQueues = "Ascend C API, TQue and TPipe";
inline constexpr const char* kSync = "Ascend C guide, synchronisation inside a core";
inline constexpr const char* kMulti = "Ascend C guide, synchronisation between cores";
inline constexpr const char* kCopy = "Ascend C API, DataCopy and DataCopyPad";
inline constexpr const char* kMatrix = "Ascend C API, matrix computation";
inline constexpr const char* kVector = "Ascend C guide, vector instructions: mask, repeat and stride";

inline constexpr Rule ub_capacity{"ub-capacity", Severity::warning, kHardware};
inline constexpr Rule ub_overflow{"ub-overflow", Severity::error, kHardware};
inline constexpr Rule tensor_overread{"tensor-overread", Severity::warning, kHardware};
inline constexpr Rule tensor_overwrite{"tensor-overwrite", Severity::hazard, kHardware};
inline constexpr Rule uninitialised_read{"uninitialised-read", Severity::warning, kHardware};
inline constexpr Rule alignment{"alignment", Severity::error, kHardware};
inline constexpr Rule gm_out_of_bounds{"gm-out-of-bounds", Severity::error, kHardware};
inline constexpr Rule empty_buffer{"empty-buffer", Severity::warning, kHardware};
inline constexpr Rule queue_foreign{"queue-foreign", Severity::warning, kHardware};
inline constexpr Rule gm_overwrite{"gm-overwrite", Severity::warning, kHardware};
inline constexpr Rule gm_overread{"gm-overread", Severity::warning, kHardware};
inline constexpr Rule gm_unwritten{"gm-unwritten", Severity::warning, kMulti};
inline constexpr Rule raw_read{"raw-read", Severity::warning, kHardware};
inline constexpr Rule raw_write{"raw-write", Severity::warning, kHardware};
inline constexpr Rule scalar_work{"scalar-work", Severity::warning, kHardware};
inline constexpr Rule clock_changed{"clock-changed", Severity::error, kHardware};
inline constexpr Rule gm_input_write{"gm-input-write", Severity::warning, kHardware};
inline constexpr Rule copy_tail{"copy-tail", Severity::warning, kCopy};
inline constexpr Rule copy_limit{"copy-limit", Severity::error, kCopy};
inline constexpr Rule vector_limit{"vector-limit", Severity::error, kVector};
inline constexpr Rule vector_count{"vector-count", Severity::warning, kVector};
inline constexpr Rule cast_mode{"cast-mode", Severity::error, "Ascend C API, Cast"};
inline constexpr Rule cube_limit{"cube-limit", Severity::error, kMatrix};
inline constexpr Rule core_type{"core-type", Severity::error, kMatrix};
inline constexpr Rule null_tensor{"null-tensor", Severity::error, kQueues};
inline constexpr Rule queue_undelivered{"queue-undelivered", Severity::error, kQueues};
inline constexpr Rule queue_exhausted{"queue-exhausted", Severity::error, kQueues};
inline constexpr Rule queue_full{"queue-full", Severity::error, kQueues};
inline constexpr Rule queue_order{"queue-order", Severity::error, kQueues};
inline constexpr Rule queue_leak{"queue-leak", Severity::warning, kQueues};
inline constexpr Rule use_after_free{"use-after-free", Severity::hazard, kQueues};
inline constexpr Rule pipe_misuse{"pipe-misuse", Severity::error, kQueues};
inline constexpr Rule event_id{"event-id", Severity::error, kSync};
inline constexpr Rule flag_repeated{"flag-repeated", Severity::warning, kSync};
inline constexpr Rule flag_unpaired{"flag-unpaired", Severity::warning, kSync};
inline constexpr Rule cross_flag{"cross-flag", Severity::error, kMulti};
inline constexpr Rule cross_core_race{"cross-core-race", Severity::hazard, kMulti};
inline constexpr Rule data_cache{"data-cache", Severity::hazard, kMulti};
inline constexpr Rule race{"race", Severity::hazard, kSync};
inline constexpr Rule deadlock{"deadlock", Severity::error, kMulti};
inline constexpr Rule time_limit{"time-limit", Severity::error, kMulti};
inline constexpr Rule block_dim{"block-dim", Severity::error, kMulti};
inline constexpr Rule assertion{"assert", Severity::error, "Ascend C API, assert"};
inline constexpr Rule trap{"trap", Severity::error, "Ascend C API, trap"};
inline constexpr Rule tiling_size{"tiling-size", Severity::error, "Ascend C API, GET_TILING_DATA"};
inline constexpr Rule cpp_exception{"exception", Severity::error, "Ascend C guide, language restrictions"};
inline constexpr Rule collective{"collective", Severity::error, "Ascend C API, HCCL"};
inline constexpr Rule launch_setup{"launch-setup", Severity::error, "Ascend C guide, kernel launch"};
}  // namespace rules

/// Ends the kernel on the current core, after an error finding or when the launch is being stopped. As on the
/// device nothing of the kernel runs any more, its destructors neither: many of them wait for flags that
/// never come.
[[noreturn]] void stop_core();

/// Text of one finding, written only when the finding is new.
struct FindingText {
    FindingText(const char* message, const char* tensor, const char* limit);
    FindingText(std::string message, const char* tensor, const char* limit);
    FindingText(std::string message, std::string tensor, std::string limit);
    FindingText(const FindingText& other);
    ~FindingText();

    std::string message;
    std::string tensor;
    std::string limit;
};

/// All findings of one launch, folded by rule, severity, line and call. Safe to use from several threads.
class Findings {
public:
    explicit Findings(std::string source_root);

    /// Adds one occurrence; `text` is called for the first occurrence only.
    template <class Text>
    void add(const Rule& rule, Severity severity, int core, const char* call, const Site& site, Text&& text) {
        const std::lock_guard<std::mutex> guard(mutex_);
        const Key key{rule.name, static_cast<int>(severity), site.file, site.line, call};
        const auto found = index_.find(key);
        if (found != index_.end()) {
            records_[found->second].count += 1;
            return;
        }
        index_.emplace(key, records_.size());
        FindingText written = text();
        FindingRecord record;
        record.rule = rule.name;
        record.severity = severity_name(severity);
        record.message = std::move(written.message);
        if (site.line < 0) record.message += " (called through a pointer or an operator after this line)";
        record.tensor = std::move(written.tensor);
        record.limit = std::move(written.limit);
        record.file = relative(site.file);
        record.line = site.number();
        record.core = core;
        record.call = call;
        record.link = rule.document;
        records_.push_back(std::move(record));
    }

    std::vector<FindingRecord> take();

    bool has_error();

    /// File name as the candidate knows it.
    std::string relative(const std::string& file) const;

private:
    using Key = std::tuple<std::string, int, std::string, int, std::string>;
    std::string source_root_;
    std::mutex mutex_;
    std::map<Key, size_t> index_;
    std::vector<FindingRecord> records_;
};

/// `text` with printf formatting, for finding messages.
std::string format(const char* text, ...) __attribute__((format(printf, 1, 2)));

}  // namespace twin
