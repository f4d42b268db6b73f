// Where a process may make files for itself.
#pragma once
#include <cstdlib>
#include <string>

namespace stand_in {

inline std::string temporary(const char* name) {
    const char* folder = std::getenv("TMPDIR");
    return std::string(folder == nullptr ? "/tmp" : folder) + "/" + name;
}

}  // namespace stand_in
