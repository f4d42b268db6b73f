// Lines of the kernel that made a call in a launch. What is missing there no case has tried.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "twin/core/site.h"

namespace twin {

class RanLines {
public:
    /// What a kernel on the wire may fill; no kernel of a person comes near.
    static constexpr size_t kMostFiles = 64;
    static constexpr int kMostLine = 1 << 16;

    void mark(const Site& site) {
        if (site.file == nullptr || site.line <= 0 || site.line > kMostLine) return;
        if (lines_ == nullptr || site.file != file_) open(site.file);
        if (lines_ == nullptr) return;
        const auto line = static_cast<size_t>(site.line);
        if (line >= lines_->size()) lines_->resize(line + 1);
        (*lines_)[line] = true;
    }

    /// By file, as the compiler saw it: for each line whether it made a call.
    const std::vector<std::pair<const char*, std::vector<bool>>>& files() const { return files_; }

private:
    void open(const char* file) {
        lines_ = nullptr;
        file_ = file;
        for (auto& [name, lines] : files_)
            if (name == file) lines_ = &lines;
        if (lines_ != nullptr || files_.size() == kMostFiles) return;
        files_.reserve(kMostFiles);  // `lines_` points into it
        files_.emplace_back(file, std::vector<bool>());
        lines_ = &files_.back().second;
    }

    std::vector<std::pair<const char*, std::vector<bool>>> files_;
    const char* file_ = nullptr;
    std::vector<bool>* lines_ = nullptr;  ///< of `file_`
};

}  // namespace twin
