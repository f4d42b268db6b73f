// Header name as in CANN; the contents live under twin/host/.
#pragma once

#include "twin/host/operator_proto.h"
