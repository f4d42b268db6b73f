// Header name as in CANN; the contents live under twin/host/.
#pragma once

#include "register/op_def_registry.h"
