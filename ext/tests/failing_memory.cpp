// What the linker puts in the place of malloc, calloc and operator new (`--wrap`, GNU's linker).
#include "failing_memory.hpp"

#include <cstddef>
#include <new>

namespace bpe_lab {

std::atomic<long> allocations_left{-1};

}  // namespace bpe_lab

namespace {

bool fails() { return bpe_lab::allocations_left >= 0 && bpe_lab::allocations_left-- == 0; }

}  // namespace

extern "C" {

void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t count, std::size_t size);
void* __real__Znwm(std::size_t size);

void* __wrap_malloc(std::size_t size) { return fails() ? nullptr : __real_malloc(size); }

void* __wrap_calloc(std::size_t count, std::size_t size) {
  return fails() ? nullptr : __real_calloc(count, size);
}

void* __wrap__Znwm(std::size_t size) {
  if (fails()) throw std::bad_alloc();
  return __real__Znwm(size);
}

}  // extern "C"
