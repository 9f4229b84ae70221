// start.cpp -- the twin of start.bend: a C++ program that prints one line.
#include <cstdio>

int main() {
  std::puts("here");
}
