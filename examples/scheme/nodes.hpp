// nodes.hpp -- compiled Scheme: a tree that the machine walks.
//
// Variables are found when the tree is made: a local one by how many environments up and
// which place, a global one by its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scheme {

enum class kind : std::uint8_t {
  constant,
  local,
  global,
  lambda,
  set_local,
  set_global,
  define_global,
  branch,
  sequence,
  call,
  // ((lambda (x) ...) 1): the environment is made without a closure.
  let,
  // Frames of the machine that stand for no expression.
  values_frame,
  handlers_frame,
  raised_frame
};

struct node {
  explicit node(kind kind_of) : what(kind_of) {}
  virtual ~node() = default;
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  kind what;
  // Its value can be had without a frame: it calls nothing but primitives.
  bool is_simple = false;
};

struct constant_node : node {
  constant_node() : node(kind::constant) { is_simple = true; }
  std::size_t number = 0;
};

struct local_node : node {
  local_node() : node(kind::local) { is_simple = true; }
  std::uint32_t up = 0;
  std::uint32_t place = 0;
  std::size_t name = 0;
};

struct global_node : node {
  global_node() : node(kind::global) { is_simple = true; }
  std::size_t number = 0;
};

struct lambda_node : node {
  lambda_node() : node(kind::lambda) { is_simple = true; }
  std::uint32_t parameters = 0;
  bool takes_rest = false;
  // Parameters, the rest, and definitions in the body.
  std::uint32_t variables = 0;
  const node* body = nullptr;
  std::size_t name = SIZE_MAX;
};

// The target is a local_node or global_node.
struct assign_node : node {
  explicit assign_node(kind kind_of) : node(kind_of) {}
  const node* target = nullptr;
  const node* value = nullptr;
};

struct set_local_node : assign_node {
  set_local_node() : assign_node(kind::set_local) {}
};
struct set_global_node : assign_node {
  set_global_node() : assign_node(kind::set_global) {}
};
struct define_global_node : assign_node {
  define_global_node() : assign_node(kind::define_global) {}
};

struct branch_node : node {
  branch_node() : node(kind::branch) {}
  const node* test = nullptr;
  const node* then = nullptr;
  const node* otherwise = nullptr;
};

struct sequence_node : node {
  sequence_node() : node(kind::sequence) {}
  std::vector<const node*> parts;
};

// The first part is what is called; in a `let` it is a lambda.
struct call_node : node {
  call_node() : node(kind::call) {}
  std::vector<const node*> parts;
};

}  // namespace scheme
