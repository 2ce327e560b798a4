// Memory that is not zeroed before it is filled, unless that is asked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

namespace bpe_lab {

inline constexpr std::size_t kCacheLine = 64, kLargePage = std::size_t{1} << 21;
inline constexpr std::size_t kSomeBytes = kLargePage / 16, kManyBytes = 2 * kLargePage;

// What is large and touched in any order: with pages of 4 KB nearly every touch is a page fault at
// first and a miss of the address cache later. What is smaller gets all its pages at once where all of it will be touched
// (`whole`), as a table is: a look-up before a word is added is a page fault, too. Also where several threads run: threads
// that have page faults at the same time wait for each other in the kernel.
inline void ask_for_pages(void* memory, std::size_t bytes, bool whole = false) {
#if defined(__linux__)
  constexpr std::uintptr_t kPage = 4096;
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, of Linux 5.14
#ifdef _OPENMP
  whole = whole || omp_in_parallel() != 0;
#endif
  if (bytes < (whole ? kSomeBytes : kManyBytes)) return;
  // From page to page: what is wished for a part of a mapping cuts it in two, and growing then copies it.
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory), begin = address & ~(kPage - 1);
  // A wish: when it is not granted, all works as before.
  madvise(reinterpret_cast<void*>(begin), address + bytes - begin, bytes < kManyBytes ? kPopulateWrite : MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
  (void)whole;
#endif
}

// An array that throws when memory is out. Begins with a cache line, and with a large page where it has several.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t size) : Array(size, false) {}
  // From `kManyBytes` on, what is never touched costs no memory then.
  static Array zeroed(std::size_t size) { return Array(size, true); }
  ~Array() { std::free(memory_); }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  Array(std::size_t size, bool zeroed) {
    if (size == 0) return;
    const std::size_t bytes = size * sizeof(T), aligned = bytes < kManyBytes ? kCacheLine : kLargePage;
    memory_ = zeroed ? std::calloc(bytes + aligned, 1) : std::malloc(bytes + aligned);
    if (memory_ == nullptr) throw std::bad_alloc();
    const std::size_t over = reinterpret_cast<std::uintptr_t>(memory_) % aligned;
    data_ = reinterpret_cast<T*>(static_cast<std::uint8_t*>(memory_) + (over == 0 ? 0 : aligned - over));
    ask_for_pages(data_, bytes, zeroed);
  }

  void swap(Array& other) {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
  }

  void* memory_ = nullptr;
  T* data_ = nullptr;
};

// Many small arrays, which never move and are freed all at once, by `clear` or at the end.
template <class T>
class Arena {
 public:
  T* take(std::size_t size) {
    if (size > left_) {
      const std::size_t chunk = std::max(size, std::clamp(chunks_size_, kChunk, kMaxChunk));
      chunks_.emplace_back(chunk);
      next_ = chunks_.back().data();
      left_ = chunk;  // only now: there may be no memory for it
      chunks_size_ += chunk;
    }
    T* const taken = next_;
    next_ += size;
    left_ -= size;
    return taken;
  }

  // Takes over what another one has handed out.
  void adopt(Arena&& other) {
    for (Array<T>& chunk : other.chunks_) chunks_.push_back(std::move(chunk));
    other.clear();
  }

  void clear() {
    chunks_.clear();
    next_ = nullptr;
    left_ = chunks_size_ = 0;
  }

 private:
  // The next chunk is as large as all before it together.
  static constexpr std::size_t kChunk = (std::size_t{1} << 18) / sizeof(T), kMaxChunk = 32 * kChunk;
  std::vector<Array<T>> chunks_;
  T* next_ = nullptr;
  std::size_t left_ = 0, chunks_size_ = 0;
};

}  // namespace bpe_lab
