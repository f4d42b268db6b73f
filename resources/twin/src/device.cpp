// The device runtime as one object, built once and linked with every candidate.
#include "twin/device.h"
