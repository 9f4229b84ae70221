// status.cpp -- the texts of the C interface: codes and version.
#include <cleave.h>

const char* cl_status_text(cl_status status) {
  switch (status) {
    case cl_ok: return "no error";
    case cl_out_of_memory:
      return "out of memory: the system, the reservation or the held limit gives no more";
    case cl_out_of_range: return "the position or size does not lie within the run";
    case cl_not_neighbours: return "the second run does not begin where the first one ends";
    case cl_no_room: return "the memory to the right of the run is not free";
    case cl_already_started: return "the heap has already started, so its options are fixed";
    case cl_bad_argument: return "an argument is not one of the allowed values";
    case cl_corrupt: return "the heap is corrupt: an invariant does not hold";
  }
  return "unknown status code";
}

const char* cl_version() {
  return CLEAVE_VERSION;
}
