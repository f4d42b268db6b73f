// The device runtime: definitions of everything that is not a template. Include it in exactly one translation
// unit of an executable (the runner); kernels include kernel_operator.h only.
#pragma once

#include <algorithm>

#include "twin/core/raw_reads_impl.h"
#include "twin/core/local_memory_impl.h"
#include "twin/core/state_impl.h"
#include "twin/core/instruction_impl.h"
#include "twin/core/gm_log_impl.h"
#include "twin/core/data_cache_impl.h"
#include "twin/core/vector_frame_impl.h"
#include "twin/core/scheduler_impl.h"
#include "twin/core/sync_impl.h"
#include "twin/core/element_impl.h"
#include "twin/core/cross_core_impl.h"
#include "twin/core/memory_impl.h"
#include "twin/core/data_copy_impl.h"
#include "twin/core/cube_load_impl.h"
#include "twin/core/cube_product_impl.h"
#include "twin/core/fixpipe_impl.h"
#include "twin/core/matmul_impl.h"
#include "twin/core/system_impl.h"
#include "twin/core/run_kernel_impl.h"
#include "twin/core/wire_impl.h"
