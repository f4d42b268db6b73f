// Names of the standard library that CANN's headers of the platform's configuration give to everybody.
#pragma once

#include <map>
#include <string>
#include <vector>

using std::map;
using std::string;
using std::vector;
