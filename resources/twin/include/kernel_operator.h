// Entry header of the kernel API on the CPU twin. Own implementation from documented behaviour; names and signatures
// are those of Ascend C so that operator projects compile unchanged.
#pragma once

#include "twin/api/language.h"

#include "twin/api/types.h"
#include "twin/api/tensor.h"
#include "twin/api/pipe_memory.h"
#include "twin/api/queue.h"
#include "twin/api/sync.h"
#include "twin/api/data_copy.h"
#include "twin/api/vector_frame.h"
#include "twin/api/vector_binary.h"
#include "twin/api/vector_unary.h"
#include "twin/api/vector_fill.h"
#include "twin/api/vector_compare.h"
#include "twin/api/vector_cast.h"
#include "twin/api/vector_reduce.h"
#include "twin/api/tiling_access.h"
#include "twin/api/system.h"
