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
inline constexpr Rule gm_input_write{"gm-input-write", Severity::warning, kHardware};
inline constexpr Rule copy_tail{"copy-tail", Severity::warning, kCopy};
inline constexpr Rule copy_limit{"copy-limit", Severity::error, kCopy};
inline constexpr Rule field_cut{"field-cut", Severity::error, "Ascend C API, parameter structures"};
inline constexpr Rule vector_limit{"vector-limit", Severity::error, kVector};
inline constexpr Rule vector_count{"vector-count", Severity::warning, kVector};
inline constexpr Rule operand_overlap{"operand-overlap", Severity::hazard,
                                      "Ascend C API, general restrictions, overlapping addresses"};
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
inline constexpr Rule integer_division{"integer-division", Severity::warning, ""};
inline constexpr Rule crash{"crash", Severity::error, ""};
inline constexpr Rule bad_record{"bad-record", Severity::error, "Ascend C guide, kernel launch"};
inline constexpr Rule not_on_the_wire{"not-on-the-wire", Severity::error, "Ascend C guide, kernel launch"};
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

/// All findings of one launch, one for each rule and line of code. Safe to use from several threads.
class Findings {
public:
    explicit Findings(std::string source_root);

    /// Adds one occurrence; `text` is called for the first one of a line, and for a graver one.
    template <class Text>
    void add(const Rule& rule, Severity severity, int core, const char* call, const Site& site, Text&& text) {
        const std::lock_guard<std::mutex> guard(mutex_);
        const bool placed = site.file[0] != '\0';
        Key key{rule.name, site.file, site.line, placed ? "" : call};
        if (index_.size() >= kMostLines && index_.count(key) == 0) key = {rule.name, "", 0, "further lines"};
        const auto [entry, is_new] = index_.try_emplace(key, Place{records_.size(), severity});
        Place& place = entry->second;
        if (is_new) records_.emplace_back();
        FindingRecord& record = records_[place.index];
        const long count = is_new ? 1 : record.count + 1;
        if (is_new || severity > place.severity) {
            place.severity = severity;
            record = written(rule, severity, core, call, site, text());
        }
        record.count = count;
    }

    std::vector<FindingRecord> take();

    bool has_error();

    /// File name as the candidate knows it.
    std::string relative(const std::string& file) const;

private:
    static constexpr size_t kMostLines = 4000;  // that have a finding of their own

    /// Rule, file and line; where there is no line, the call or what else it is about.
    using Key = std::tuple<std::string, std::string, int, std::string>;
    struct Place {
        size_t index;
        Severity severity;
    };
    FindingRecord written(const Rule& rule, Severity severity, int core, const char* call, const Site& site,
                          FindingText text) const;

    std::string source_root_;
    std::mutex mutex_;
    std::map<Key, Place> index_;
    std::vector<FindingRecord> records_;
};

/// `text` with printf formatting, for finding messages.
std::string format(const char* text, ...) __attribute__((format(printf, 1, 2)));

}  // namespace twin
