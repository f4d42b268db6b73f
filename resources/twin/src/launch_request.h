// What the judge asks of the kernel program about one launch, in the form of manifest.h:
//
//   sage-twin-launch  2
//   kernel            <entry name, for findings>
//   soc               <name of twin/soc_data.h>
//   constant          <name in processors.toml> <value>          measured on a host, replaces the shipped one
//   time_limit        <seconds the kernel may take>
//   strict            <0|1>
//   fast              <0|1>
//   schedule          <number of another order of cores and pipes; twin/core/late_writes.h>
//   cold              <0|1: nothing of the tensors lies in L2>
//   cleared           <bytes of outputs that another kernel fills before this one>
//   source_root       <prefix stripped from file names in findings>
//   block_dim         <blocks>
//   task              <cube cores> <vector cores> <0|1: scheduled> <source>     of a block, where it is known
//   apart             <one digit a block: 1 where the kernel's second process runs it>
//   tiling_key        <key>
//   tiling            <bytes in hexadecimal>
//   workspace         <bytes>
//   remains           <seed of what the workspace holds before the launch>
//   trace             <offset in the memory file> <bytes>    only for a launch that is traced, see
//   twin/core/trace.h argument          <name> <offset in the memory file|-> <bytes> <1: input, 0: output>
//   <bytes a core has to write> pointer           <number of an argument>        the next address the kernel
//   gets list              <name> <argument:shape;...>    the next address the kernel gets: the descriptor of
//   a tensor list
//
// Workspace and tiling follow as the last two addresses. An argument at `-` is an optional input that is not
// given.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "manifest.h"

namespace twin {
namespace runner {

struct ArgumentLine {
    std::string name;
    int64_t offset = -1;  ///< in the memory file; -1: no memory
    size_t bytes = 0;
    bool is_input = true;
    size_t expected = 0;
};

struct ListEntry {
    size_t argument = 0;
    std::vector<int64_t> shape;
};

/// One address: of a tensor, or of the descriptor of a list when `list` is not empty.
struct PointerLine {
    size_t argument = 0;
    std::string name;
    std::vector<ListEntry> list;
    bool is_list = false;
};

struct LaunchRequest {
    Launch launch;
    size_t workspace_bytes = 0;
    uint64_t remains = 0;
    int64_t trace_offset = -1;
    std::vector<uint8_t> tiling;
    std::vector<ArgumentLine> arguments;
    std::vector<PointerLine> pointers;
};

inline std::vector<uint8_t> bytes_of_hex(const std::string& text) {
    std::vector<uint8_t> bytes;
    for (size_t at = 0; at + 1 < text.size(); at += 2) {
        bytes.push_back(static_cast<uint8_t>(std::strtoul(text.substr(at, 2).c_str(), nullptr, 16)));
    }
    return bytes;
}

inline PointerLine list_line(const std::vector<std::string>& fields) {
    PointerLine pointer;
    pointer.is_list = true;
    pointer.name = decode(fields.at(1));
    if (fields.at(2).empty()) {
        return pointer;
    }
    for (const std::string& entry : split(fields[2], ';')) {
        const size_t colon = entry.find(':');
        pointer.list.push_back({static_cast<size_t>(std::strtoull(entry.c_str(), nullptr, 10)),
                                integers(entry.substr(colon + 1))});
    }
    return pointer;
}

/// Reads the request. Throws std::exception when it is malformed (a fault of the judge).
inline LaunchRequest read_launch(const std::string& text) {
    std::istringstream lines(text);
    LaunchRequest request;
    std::string line;
    if (!std::getline(lines, line) || line != "sage-twin-launch\t2") {
        throw std::runtime_error("not a launch request");
    }
    while (std::getline(lines, line)) {
        const std::vector<std::string> fields = split(line, '\t');
        const std::string& directive = fields[0];
        const auto number = [&fields](size_t at) {
            return std::strtoull(fields.at(at).c_str(), nullptr, 10);
        };
        if (directive == "kernel") {
            request.launch.kernel = decode(fields.at(1));
        } else if (directive == "soc") {
            request.launch.soc = decode(fields.at(1));
        } else if (directive == "constant") {
            request.launch.constants.emplace_back(decode(fields.at(1)),
                                                  std::strtod(fields.at(2).c_str(), nullptr));
        } else if (directive == "time_limit") {
            request.launch.time_limit_s = std::strtod(fields.at(1).c_str(), nullptr);
        } else if (directive == "strict") {
            request.launch.strict = fields.at(1) == "1";
        } else if (directive == "fast") {
            request.launch.fast = fields.at(1) == "1";
        } else if (directive == "schedule") {
            request.launch.schedule = static_cast<uint32_t>(number(1));
        } else if (directive == "cold") {
            request.launch.cold = fields.at(1) == "1";
        } else if (directive == "cleared") {
            request.launch.cleared_bytes = number(1);
        } else if (directive == "source_root") {
            request.launch.source_root = decode(fields.at(1));
        } else if (directive == "block_dim") {
            request.launch.block_dim = static_cast<uint32_t>(number(1));
        } else if (directive == "task") {
            request.launch.task = {static_cast<uint32_t>(number(1)), static_cast<uint32_t>(number(2)),
                                   fields.at(3) == "1", static_cast<uint32_t>(number(4))};
        } else if (directive == "apart") {
            for (const char digit : fields.at(1)) request.launch.apart.push_back(digit == '1');
        } else if (directive == "tiling_key") {
            request.launch.tiling_key = number(1);
        } else if (directive == "tiling") {
            request.tiling = bytes_of_hex(fields.at(1));
        } else if (directive == "workspace") {
            request.workspace_bytes = number(1);
        } else if (directive == "remains") {
            request.remains = number(1);
        } else if (directive == "trace") {
            request.trace_offset = static_cast<int64_t>(number(1));
            request.launch.trace_bytes = number(2);
        } else if (directive == "argument") {
            const int64_t offset = fields.at(2) == "-" ? -1 : static_cast<int64_t>(number(2));
            request.arguments.push_back(
                {decode(fields.at(1)), offset, number(3), fields.at(4) == "1", number(5)});
        } else if (directive == "pointer") {
            request.pointers.push_back({number(1), "", {}, false});
        } else if (directive == "list") {
            request.pointers.push_back(list_line(fields));
        } else {
            throw std::runtime_error("unknown directive " + directive);
        }
    }
    return request;
}

}  // namespace runner
}  // namespace twin
