// Two maps from a pair to a value with one interface: the standard library's, and a flat one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "stage.hpp"


namespace bpe_lab {

// Nodes on a list for each bucket; libstdc++'s hash of an integer is the integer itself.
template <class Value, class Hash>
class NodeTable {
 public:
  Value& operator[](Pair pair) { return map_[pair]; }
  Value* find(Pair pair) {
    const auto entry = map_.find(pair);
    return entry == map_.end() ? nullptr : &entry->second;
  }
  void erase(Pair pair) { map_.erase(pair); }
  void add(Pair pair, Value change) { map_[pair] += change; }
  void clear() { map_.clear(); }
  std::size_t size() const { return map_.size(); }
  // How many entries a look-up compares.
  std::size_t probes(Pair pair) const {
    if (map_.empty()) return 0;  // libc++ has no bucket then
    std::size_t probes = 0;
    const std::size_t bucket = map_.bucket(pair);
    for (auto entry = map_.begin(bucket); entry != map_.end(bucket); ++entry) {
      ++probes;
      if (entry->first == pair) break;
    }
    return probes;
  }
  template <class Visit>
  void each(Visit&& visit) {
    for (auto& [pair, value] : map_) visit(pair, value);
  }

 private:
  std::unordered_map<Pair, Value, Hash> map_;
};

// Fibonacci hashing, and the high bits folded down: ids differ in their low bits.
struct FoldedFibonacci {
  std::size_t operator()(Pair pair) const noexcept {
    const std::uint64_t product = pair * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>(product ^ product >> 32);
  }
};

// Open addressing in one array: a look-up is one cache line, nearly always.
template <class Value, class Hash>
class FlatTable {
 public:
  FlatTable() : slots_(kMinSlots) {}

  Value& operator[](Pair pair) {
    std::size_t at = slot_of(pair);
    if (slots_[at].pair == pair) return slots_[at].value;
    if ((size_ + 1) * 2 > slots_.size()) {
      grow();
      at = slot_of(pair);
    }
    ++size_;
    slots_[at].pair = pair;
    return slots_[at].value;
  }

  Value* find(Pair pair) {
    const std::size_t at = slot_of(pair);
    return slots_[at].pair == pair ? &slots_[at].value : nullptr;
  }
  const Value* find(Pair pair) const { return const_cast<FlatTable*>(this)->find(pair); }

  void add(Pair pair, Value change) { (*this)[pair] += change; }

  // Moves later entries of the run up, so that no look-up meets a hole: no tombstones.
  void erase(Pair pair) {
    std::size_t hole = slot_of(pair);
    if (slots_[hole].pair != pair) return;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (hole + 1) & mask; slots_[at].pair != kNoPair; at = (at + 1) & mask) {
      const std::size_t home = Hash()(slots_[at].pair) & mask;
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        slots_[hole] = std::move(slots_[at]);
        hole = at;
      }
    }
    slots_[hole] = Slot{};
    --size_;
  }

  void clear() {
    slots_.clear();
    slots_.resize(kMinSlots);
    size_ = 0;
  }

  template <class Visit>
  void each(Visit&& visit) {
    for (Slot& slot : slots_) {
      if (slot.pair != kNoPair) visit(slot.pair, slot.value);
    }
  }

  std::size_t size() const { return size_; }
  std::size_t slots() const { return slots_.size(); }
  // How many slots a look-up compares.
  std::size_t probes(Pair pair) const {
    const std::size_t mask = slots_.size() - 1;
    return ((slot_of(pair) - Hash()(pair)) & mask) + 1;
  }
  // The entry of a slot; a free one has the value that a new entry has.
  std::pair<Pair, const Value*> slot(std::size_t at) const {
    return {slots_[at].pair, &slots_[at].value};
  }

 private:
  static constexpr Pair kNoPair = ~Pair{0};
  static constexpr std::size_t kMinSlots = 1024;
  struct Slot {
    Pair pair = kNoPair;
    Value value{};
  };

  std::size_t slot_of(Pair pair) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = Hash()(pair) & mask;
    while (slots_[at].pair != pair && slots_[at].pair != kNoPair) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.pair != kNoPair) slots_[slot_of(slot.pair)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

// As the stages use them.
template <class Value>
using NodeMap = NodeTable<Value, std::hash<Pair>>;
template <class Value>
using FlatMap = FlatTable<Value, FoldedFibonacci>;

enum class MapKind { kNode, kFlat };

}  // namespace bpe_lab
