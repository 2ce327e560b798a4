// What every compiled stage offers to the loop that drives it, and what they all start from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bpe_lab {

struct WordRef {
  const std::uint8_t* bytes;
  std::uint32_t length;
  std::uint64_t count;
};

struct Choice {
  std::uint32_t left = 0, right = 0;
  std::int64_t count = 0;  // 0: no pair is left
};

using Operations = std::vector<std::pair<std::string, std::uint64_t>>;

// Ids are below this: the two greatest values mark what is no token.
inline constexpr std::uint32_t kMostIds = 0xFFFFFFFEu;

// A pair of ids as one integer.
using Pair = std::uint64_t;
inline Pair pair_of(std::uint32_t left, std::uint32_t right) {
  return Pair{left} << 32 | right;
}
inline std::uint32_t left_of(Pair pair) { return static_cast<std::uint32_t>(pair >> 32); }
inline std::uint32_t right_of(Pair pair) { return static_cast<std::uint32_t>(pair); }

// Long work asks now and then whether it shall go on.
class Checkpoint {
 public:
  using Ask = bool (*)(void* context);

  Checkpoint() = default;
  Checkpoint(Ask ask, void* context) : ask_(ask), context_(context) {}

  // Call it for every piece of work, or many at once, of some nanoseconds each.
  void operator()(std::size_t pieces = 1) {
    if (pieces < left_) {
      left_ -= pieces;
      return;
    }
    left_ = kEvery;
    if (ask_ != nullptr && !ask_(context_)) throw std::runtime_error("interrupted");
  }

 private:
  static constexpr std::size_t kEvery = 1 << 20;
  Ask ask_ = nullptr;
  void* context_ = nullptr;
  std::size_t left_ = kEvery;
};

// What a stage is told beside its words.
struct Setup {
  std::uint32_t first_id;    // of the first merge; the ids from 256 up to it are special tokens
  std::uint32_t end_id = 0;  // behind that of the last merge; 0: not known
  int threads = 1;
  Checkpoint go_on;
};

class Stage {
 public:
  virtual ~Stage() = default;
  virtual void count_pairs() = 0;
  virtual Choice select() = 0;
  virtual void update(std::uint32_t left, std::uint32_t right, std::uint32_t new_id) = 0;
  virtual Operations operations() const = 0;
};

// What the rule needs that decides between equal counts: the bytes of every token.
class Vocab {
 public:
  // Ids below `first_id` are the bytes, and special tokens, which are in no pair.
  explicit Vocab(std::uint32_t first_id)
      : length_(first_id, 0), first_bytes_(first_id, 0), begin_(first_id, 0) {
    for (std::uint32_t id = 0; id < 256; ++id) {
      length_[id] = 1;
      first_bytes_[id] = std::uint64_t{id} << 56;
    }
  }

  std::size_t length(std::uint32_t id) const { return length_[id]; }

  void add(std::uint32_t left, std::uint32_t right) {
    const std::uint32_t left_length = length_[left], length = left_length + length_[right];
    const std::uint64_t behind = left_length < 8 ? first_bytes_[right] >> 8 * left_length : 0;
    first_bytes_.push_back(first_bytes_[left] | behind);
    length_.push_back(length);
    begin_.push_back(bytes_.size());
    if (length <= 8) return;
    spell(left);
    spell(right);
  }

  // Whether (left bytes, right bytes) of `a` is smaller than that of `b`; a prefix is smaller. The order is
  // total, for no two ids have equal bytes: between two boundaries that no merge has crossed yet, what
  // merges have made of the same bytes is the same everywhere.
  bool less(Pair a, Pair b) const {
    const int left = compare(left_of(a), left_of(b));
    return left != 0 ? left < 0 : compare(right_of(a), right_of(b)) < 0;
  }

 private:
  int compare(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return 0;
    // Eight bytes as one number decide nearly always; a zero may be a byte or the end.
    if (first_bytes_[a] != first_bytes_[b]) return first_bytes_[a] < first_bytes_[b] ? -1 : 1;
    const std::uint32_t shorter = std::min(length_[a], length_[b]);
    const int order = shorter <= 8 ? 0 : std::memcmp(&bytes_[begin_[a]], &bytes_[begin_[b]], shorter);
    return order != 0 ? order : length_[a] < length_[b] ? -1 : 1;
  }

  // Appends the bytes of a part of a token of more than eight.
  void spell(std::uint32_t part) {
    const std::size_t length = length_[part], end = bytes_.size();
    bytes_.resize(end + length);
    if (length > 8) {
      std::memcpy(&bytes_[end], &bytes_[begin_[part]], length);
      return;
    }
    for (std::size_t i = 0; i < length; ++i) {
      bytes_[end + i] = static_cast<std::uint8_t>(first_bytes_[part] >> (56 - 8 * i));
    }
  }

  std::vector<std::uint32_t> length_;       // a word is shorter than 4 GB
  std::vector<std::uint64_t> first_bytes_;  // the first is the highest; zeros behind the end
  std::vector<std::size_t> begin_;          // in bytes_
  std::vector<std::uint8_t> bytes_;         // of the tokens of more than eight
};

// A max-heap of pairs: the highest count first, of equal counts the greater bytes. An entry has a `count`
// and a `pair`.
template <class Entry>
class MaxHeap {
 public:
  explicit MaxHeap(const Vocab& vocab) : vocab_(vocab) {}

  bool less(const Entry& a, const Entry& b) const {
    return a.count != b.count ? a.count < b.count : vocab_.less(a.pair, b.pair);
  }

  bool empty() const { return entries_.empty(); }
  const Entry& top() const { return entries_.front(); }
  void clear() { entries_.clear(); }

  void push(const Entry& entry) {
    std::size_t at = entries_.size();
    entries_.push_back(entry);
    while (at > 0 && less(entries_[(at - 1) / 2], entry)) {
      entries_[at] = entries_[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    entries_[at] = entry;
  }

  // Adds many: where they outnumber what is there, the heap is built anew, in linear time.
  void push_all(const std::vector<Entry>& many) {
    if (many.size() <= entries_.size()) {
      for (const Entry& entry : many) push(entry);
      return;
    }
    entries_.insert(entries_.end(), many.begin(), many.end());
    for (std::size_t at = entries_.size() / 2; at-- > 0;) sift_down(at, Entry(entries_[at]));
  }

  void pop() {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sift_down(0, last);
  }

  void replace_top(const Entry& entry) { sift_down(0, entry); }

 private:
  void sift_down(std::size_t at, const Entry& entry) {
    const std::size_t size = entries_.size();
    for (std::size_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && less(entries_[child], entries_[child + 1])) ++child;
      if (!less(entry, entries_[child])) break;
      entries_[at] = entries_[child];
      at = child;
    }
    entries_[at] = entry;
  }

  const Vocab& vocab_;
  std::vector<Entry> entries_;
};

// A lazy heap: an entry promises at most too much.
struct Promise {
  std::int64_t count;
  Pair pair;
};

class PairHeap : public MaxHeap<Promise> {
 public:
  using Entry = Promise;
  using MaxHeap<Promise>::MaxHeap;

  // Takes the pair with the highest count out. An entry whose count has fallen is corrected and goes
  // down, that of a pair which is gone goes away, and both are counted in `stale`.
  // `count_of(pair)`: the count of a pair now, 0 when it is gone.
  template <class CountOf>
  Choice take(CountOf&& count_of, std::uint64_t& stale) {
    while (!empty()) {
      const Entry first = top();
      const std::int64_t count = count_of(first.pair);
      if (count == first.count) {
        pop();
        return {left_of(first.pair), right_of(first.pair), count};
      }
      ++stale;
      if (count > 0) {
        replace_top({count, first.pair});
      } else {
        pop();
      }
    }
    return {};
  }
};

}  // namespace bpe_lab
