// Numbers of the simulated AI cores: capacities, bandwidths and instruction costs. What differs between
// processors, and what a calibration of a host measures, is in processors.toml, of which
// twin/processors.h is made.
//
// Sources, by mark in the comments:
//   [ini]   platform configuration of CANN 8.1 (clock, cores, memory sizes, bytes per cycle)
//   [guide] Ascend C programming and performance guide (vector throughput table, launch overhead, alignment)
//   [api]   API reference, appendix "theoretical performance of Cube instructions"
//   [run]   timings of real runs quoted in the msopprof examples and the performance guide
//   [est]   our estimate; no public number was found
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "twin/processors.h"

namespace twin {

constexpr size_t kUbBytes = 196608;   // [ini]
constexpr size_t kL1Bytes = 524288;   // [ini]
constexpr size_t kL0aBytes = 65536;   // [ini]
constexpr size_t kL0bBytes = 65536;   // [ini]
constexpr size_t kL0cBytes = 131072;  // [ini]
constexpr size_t kBtBytes = 1024;     // [ini]
constexpr size_t kFbBytes = 2048;     // [ini]
constexpr size_t kBlockBytes = 32;    // [guide] unit of UB addresses and of DataCopy lengths
constexpr size_t kRepeatBytes = 256;  // [guide] bytes one vector repeat reads from one source

// Of 16 bits in a repeat: rounding a count up to whole repeats adds fewer.
constexpr size_t kRoundedLanes = 128;

/// The processor called `name`, or nullptr.
inline const Soc* find_soc(const char* name) {
    for (const Soc& soc : kSocs) {
        if (std::strcmp(soc.name, name) == 0) return &soc;
    }
    return nullptr;
}

// Data movement.
constexpr double kDmaBlockCycles = 8;  // [est] extra cost of every further block of a strided copy
constexpr double kL2Overflow =
    0.2;  // [est] data beyond L2's capacity by this part of it finds none of its lines there any more
constexpr size_t kDmaGranuleBytes = 64;       // [est] smallest burst a block costs on the bus
constexpr double kUbWriteBytesPerCycle = 64;  // [ini] ub -> ddr port

// Matrix unit and the pipes around it.
// A step multiplies two fractals of 512 bytes: one cycle [ini], for float [est] a quarter of the rate of
// half.
constexpr double kCubeFloatCycles = 2;
constexpr double kL0aBytesPerCycle = 256;   // [guide] L1 -> L0A on architecture 2201
constexpr double kL0bBytesPerCycle = 128;   // [guide] L1 -> L0B
constexpr double kTableBytesPerCycle = 32;  // [api] L1 -> bias table and FixPipe buffer
constexpr double kL0cBytesPerCycle = 256;   // [ini] L0C -> out
constexpr double kMte1IssueCycles = 20;     // [est]
constexpr double kL1CopyStartNs =
    150;  // [run] copy into L1 with its latency, two series of Matmul (docs/twin.md)
constexpr double kL1RowCycles = 1;      // [run] every row that becomes fractals, the same series
constexpr uint64_t kGmUnitBytes = 512;  // [guide] requests of MTE2 are made of such units
constexpr double kSameUnitNs = 11.2;    // [run] a request for the unit of the one before it: 128 bytes each
constexpr double kOddBlockCycles =
    2;  // [run] 32 bytes of a row that begins within 32: copies from odd addresses
constexpr double kL2ReadBytesPerCycle = 110;    // [ini] L2 -> one core
constexpr double kL2WriteBytesPerCycle = 86;    // [ini] one core -> L2
constexpr double kMatmulInitNs = 3500;          // [guide] until the first copy of a Matmul object: 3.536 us
constexpr double kMatmulConstantInitNs = 2200;  // [guide] the same with a constant tiling: 2.185 us
constexpr double kMatmulMessageNs =
    1000;  // [run] from a vector core to its cube core: mixed against pure cube

// Scalar unit.
constexpr double kScalarIssueCycles = 4;  // [est] issue of one instruction to another pipe
constexpr size_t kScalarLineBytes = 64;   // [guide] data cache line
constexpr size_t kMostRawBytes =
    256;  // [est] stores through raw pointers that are charged; more is no scalar work
constexpr double kLoopPassCycles =
    4;  // [est] one pass of a scalar loop: count, compare, branch, one operation
constexpr uint64_t kPassesPerCall = 4;  // [est] passes between two API calls that their issue covers
constexpr uint64_t kFreePasses = 64;    // [est] passes of a core beyond those: reading its tiling
constexpr double kOwnWorkS =
    0.02;  // [run] CPU seconds of this machine a kernel may use between its calls, anyway
constexpr double kOwnWorkPerBlockS =
    6e-5;  // [run] ... and for every block: its stack and its turn, twice over
constexpr double kOwnWorkPerCallS =
    6e-6;  // [run] ... and for every call: its message, twice over on a machine with other work
constexpr double kOwnWorkPerReferenceS =
    5e-5;  // [run] ... and for every use of a reference to an element: a page fault, twice over
constexpr double kOwnWorkShare = 4;      // [est] ... and for a second of modelled scalar work
constexpr double kSyncAllCycles = 1000;  // [est] one round through global memory
constexpr double kFlagCycles = 4;        // [est]
constexpr double kCrossFlagCycles = 50;  // [est] through the block scheduler

}  // namespace twin
