/* use.c -- a C program that knows nothing of the project but its header. */
#include <cleave.h>

int main(void) {
  cl_run left, right;
  if (cl_allocate(1000, &left) != cl_ok) return 1;
  if (cl_cut(left, 400, &left, &right) != cl_ok) return 2;
  if (left.bytes != 400 || right.bytes != 600) return 3;
  cl_free(right);
  cl_free(left);
  return cl_live_bytes() == 0 ? 0 : 4;
}
