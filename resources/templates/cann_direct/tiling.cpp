// Calls the tiling function of op_host for one case, through what CANN documents for testing tiling functions
// (ContextBuilder, OpTilingRegistry), and writes what it sets.
//
//   tiling <description> <answer> <data>
//
// Description: lines `library PATH`, `operator NAME`, `soc NAME`, `input TYPE DIMS [FILE]`, `absent`, `list N` (the
// next N inputs are one list of tensors), `output TYPE DIMS` (DIMS: numbers with commas, `-` for a scalar; FILE:
// values that the function reads), `attribute NAME KIND VALUE`. Lists of attributes have commas.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "exe_graph/runtime/storage_shape.h"
#include "tiling/context/context_builder.h"

namespace {

struct Tensor {
    int type = 0;
    gert::StorageShape shape;
    std::string values;
};

template <class T>
std::vector<T> Numbers(const std::string& text)
{
    std::vector<T> values;
    std::stringstream parts(text == "-" ? "" : text);
    for (std::string part; std::getline(parts, part, ',');) {
        values.push_back(static_cast<T>(std::stod(part)));
    }
    return values;
}

gert::StorageShape Shape(const std::string& dims)
{
    gert::StorageShape shape;
    for (int64_t dim : Numbers<int64_t>(dims)) {
        shape.MutableStorageShape().AppendDim(dim);
        shape.MutableOriginShape().AppendDim(dim);
    }
    return shape;
}

void AddAttribute(context_ascendc::ContextBuilder& builder, const std::string& name, const std::string& kind,
                  const std::string& value)
{
    if (kind == "int") {
        builder.AddAttr(name, static_cast<int64_t>(std::stoll(value)));
    } else if (kind == "float") {
        builder.AddAttr(name, std::stof(value));
    } else if (kind == "bool") {
        builder.AddAttr(name, value == "1");
    } else if (kind == "int_list") {
        builder.AddAttr(name, Numbers<int64_t>(value));
    } else if (kind == "float_list") {
        builder.AddAttr(name, Numbers<float>(value));
    } else if (kind == "bool_list") {
        builder.AddAttr(name, Numbers<bool>(value));
    } else {
        builder.AddAttr(name, value);
    }
}

}  // namespace

int main(int count, char** arguments)
{
    if (count != 4) {
        return 2;
    }
    std::string library, name, soc;
    std::vector<Tensor> inputs, outputs;
    std::vector<uint32_t> instances;  // how many tensors each input of the OpDef has
    uint32_t listed = 0;              // inputs to come that belong to the last list
    std::vector<std::vector<std::string>> attributes;
    std::ifstream description(arguments[1]);
    for (std::string line; std::getline(description, line);) {
        std::stringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "library" || kind == "operator" || kind == "soc") {
            words >> std::ws;
            std::getline(words, kind == "library" ? library : kind == "operator" ? name : soc);
        } else if (kind == "attribute") {
            std::string given, type, value;
            words >> given >> type >> std::ws;
            std::getline(words, value);
            attributes.push_back({given, type, value});
        } else if (kind == "absent") {
            instances.push_back(0);
        } else if (kind == "list") {
            words >> listed;
            instances.push_back(listed);
        } else {
            Tensor tensor;
            std::string dims = "-";
            words >> tensor.type >> dims >> std::ws;
            std::getline(words, tensor.values);
            tensor.shape = Shape(dims);
            (kind == "output" ? outputs : inputs).push_back(tensor);
            if (kind == "input" && listed > 0) {
                --listed;
            } else if (kind == "input") {
                instances.push_back(1);
            }
        }
    }
    context_ascendc::OpTilingRegistry registry;
    if (!registry.LoadTilingLibrary(library.c_str())) {
        std::fprintf(stderr, "The tiling library cannot be loaded.\n");
        return 3;
    }
    const auto function = registry.GetTilingFunc(name.c_str());
    if (function == nullptr) {
        std::fprintf(stderr, "op_host registers no tiling function for %s: OP tiling_funcs NULL\n", name.c_str());
        return 4;
    }
    context_ascendc::ContextBuilder builder;
    // Every tensor of an output list counts as an output: the builder knows instances of inputs only.
    builder.NodeIoNum(instances.size(), outputs.size()).IrInstanceNum(instances).SetOpNameType(name, name);
    int32_t index = 0;
    for (const Tensor& tensor : inputs) {
        const auto type = static_cast<ge::DataType>(tensor.type);
        if (tensor.values.empty()) {
            builder.AddInputTd(index++, type, ge::FORMAT_ND, ge::FORMAT_ND, tensor.shape);
        } else {
            builder.AddInputTd(index++, type, ge::FORMAT_ND, ge::FORMAT_ND, tensor.shape, tensor.values);
        }
    }
    index = 0;
    for (const Tensor& tensor : outputs) {
        builder.AddOutputTd(index++, static_cast<ge::DataType>(tensor.type), ge::FORMAT_ND, ge::FORMAT_ND, tensor.shape);
    }
    for (const auto& attribute : attributes) {
        AddAttribute(builder, attribute[0], attribute[1], attribute[2]);
    }
    const auto data = gert::TilingData::CreateCap(65536);
    const auto sizes = gert::ContinuousVector::Create<size_t>(16);
    const auto holder = builder.TilingData(data.get())
                            .Workspace(reinterpret_cast<gert::ContinuousVector*>(sizes.get()))
                            .AddPlatformInfo(soc.c_str())
                            .BuildTilingContext();
    auto* context = holder->GetContext<gert::TilingContext>();
    const auto status = function(context);
    if (status != 0) {
        std::fprintf(stderr, "%s do tiling failed, ret is %d.\n", name.c_str(), static_cast<int>(status));
        return 5;
    }
    size_t workspace = 0;
    const size_t parts = context->GetWorkspaceNum();
    for (size_t part = 0; part < parts; ++part) {
        workspace += context->GetWorkspaceSizes(parts)[part];
    }
    std::ofstream(arguments[2]) << context->GetBlockDim() << ' ' << context->GetTilingKey() << ' ' << workspace << '\n';
    const auto* raw = context->GetRawTilingData();
    std::ofstream(arguments[3], std::ios::binary)
        .write(static_cast<const char*>(raw->GetData()), static_cast<std::streamsize>(raw->GetDataSize()));
    return 0;
}
