// The functions of op_host as CANN calls them: InferShape, InferDataType, TilingParse and the tiling
// function.
#pragma once

#include <memory>
#include <string>

#include "run.h"
#include "twin/host/log.h"

namespace twin {
namespace runner {

/// What op_host logged so far, as the end of a message; empty when it logged nothing.
inline std::string logged() { return host::op_log().empty() ? "" : " Its log says: " + host::op_log(); }

/// Calls InferShape and InferDataType. A call with its outputs at hand does not need what they say, so a
/// failure is noted and the call goes on.
inline void infer(Run& run) {
    const size_t count = run.manifest.outputs.size();
    run.report.inferred.resize(count);
    if (run.functions.infer_shape != nullptr) {
        run.report.phase = "infer-shape";
        gert::InferShapeContext context(run.call, count);
        if (run.functions.infer_shape(&context) != ge::GRAPH_SUCCESS) {
            run.report.error("infer-shape", "InferShape of " + run.manifest.op + " failed." + logged(),
                             kTilingDocument);
            return;
        }
        for (size_t index = 0; index < count; ++index) {
            const gert::Shape& shape = *context.GetOutputShape(index);
            run.report.inferred[index].has_shape = true;
            for (size_t dim = 0; dim < shape.GetDimNum(); ++dim) {
                run.report.inferred[index].shape.push_back(shape.GetDim(dim));
            }
        }
    }
    if (run.functions.infer_type != nullptr) {
        run.report.phase = "infer-type";
        gert::InferDataTypeContext context(run.call, count);
        if (run.functions.infer_type(&context) != ge::GRAPH_SUCCESS) {
            run.report.error("infer-type", "InferDataType of " + run.manifest.op + " failed." + logged(),
                             kTilingDocument);
            return;
        }
        for (size_t index = 0; index < count; ++index) {
            run.report.inferred[index].type = context.GetOutputDataType(index);
        }
    }
}

/// Calls the tiling function; on success the report has block dimension, key, workspace and tiling bytes.
inline bool tile(Run& run, gert::TilingContext& context) {
    if (run.functions.tiling == nullptr) {
        run.report.error("tiling-failed",
                         run.manifest.op + " has no tiling function: call AICore().SetTiling().",
                         kTilingDocument);
        return false;
    }
    const ge::graphStatus status = run.functions.tiling(&context);
    run.report.log = host::op_log();
    run.report.block_dim = context.GetBlockDim();
    run.report.tiling_key = context.GetTilingKey();
    const size_t tiling_bytes = context.GetRawTilingData()->GetDataSize();
    run.report.workspaces.assign(
        context.GetWorkspaceSizes(context.GetWorkspaceNum()),
        context.GetWorkspaceSizes(context.GetWorkspaceNum()) + context.GetWorkspaceNum());
    if (status != ge::GRAPH_SUCCESS) {
        run.report.error("tiling-failed",
                         run.manifest.op + " do tiling failed, ret is " +
                             std::to_string(static_cast<int32_t>(status)) + "." + logged(),
                         kTilingDocument);
        return false;
    }
    if (tiling_bytes > context.GetRawTilingData()->GetCapacity()) {
        run.report.error(
            "tiling-failed",
            "SetDataSize(" + std::to_string(tiling_bytes) + ") is more than the tiling buffer holds.",
            kTilingDocument);
        return false;
    }
    const auto* data = static_cast<const uint8_t*>(context.GetRawTilingData()->GetData());
    run.report.tiling.assign(data, data + tiling_bytes);
    return true;
}

inline std::shared_ptr<void> compile_info(Run& run, fe::PlatFormInfos& platform) {
    if (run.functions.make_compile_info == nullptr) {
        return nullptr;
    }
    std::shared_ptr<void> info = run.functions.make_compile_info();
    if (run.functions.tiling_parse != nullptr) {
        gert::TilingParseContext context(run.call, platform, info.get());
        if (run.functions.tiling_parse(&context) != ge::GRAPH_SUCCESS) {
            run.report.error("tiling-failed", "TilingParse of " + run.manifest.op + " failed.",
                             kTilingDocument);
        }
    }
    return info;
}

}  // namespace runner
}  // namespace twin
