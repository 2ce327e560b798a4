// The checks of the other files, on inputs that libFuzzer makes: it keeps those that reach new code. FUZZED is the
// part to run.
//
//   make fuzz SECONDS=60
#include <cstdio>
#include <cstdlib>

#include "check_counting.cpp"
#include "check_encoding.cpp"
#include "check_stages.cpp"

namespace bpe_lab {

void check(bool holds, const char* what, const std::string& of) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s: \"", what);
  for (const char c : of) std::fprintf(stderr, "\\x%02x", static_cast<unsigned char>(c));
  std::fprintf(stderr, "\"\n");
  std::abort();  // libFuzzer writes the input into a file
}

namespace {

// Numbers from the begin of an input; zeros behind its end.
struct Input {
  const std::uint8_t *at, *end;

  unsigned number() { return at < end ? *at++ : 0; }
  std::string text(std::size_t most) {
    const std::size_t size = std::min<std::size_t>(most, static_cast<std::size_t>(end - at));
    at += size;
    return std::string(reinterpret_cast<const char*>(at) - size, size);
  }
};

// Threads take as long to start as many inputs without them.
int few_threads(Input& input) { return input.number() == 255 ? 3 : 1; }

bool is_text(const std::string& bytes) {
  std::size_t valid = 0;
  points_of(bytes, valid);
  return valid == bytes.size();
}

// As count_slowly, by the portable scanner of any pattern.
Counts count_portably(const std::string& text, const std::vector<std::string>& specials, const std::string& pattern) {
  Counts counts;
  std::size_t begin = 0;
  const auto piece = [&](std::size_t end) {
    const Padded padded(text.substr(begin, end - begin));
    std::size_t stopped = 0, word = 0;
    const std::uint8_t* const bytes = padded.bytes.get();
    for (const std::size_t after : portable_word_ends(bytes, bytes + padded.size, stopped, pattern)) {
      ++counts[text.substr(begin + word, after - word)];
      word = after;
    }
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = match_slowly(text, at, specials);
    if (length != 0) {
      piece(at);
      begin = at + length;
    }
    at += length != 0 ? length : 1;
  }
  piece(text.size());
  return counts;
}

[[maybe_unused]] void fuzz_counting(Input input) {
  static const char* const patterns[] = {"gpt2", "cl100k", "llama3", "qwen2", "nanochat", "o200k"};
  const unsigned choice = input.number();
  const std::string pattern = patterns[choice % 6];
  const int threads = few_threads(input);
  const std::size_t block_bytes = 1 + input.number();
  Random random(input.number());
  std::vector<std::string> specials;
  for (unsigned more = choice / 6 % 4; more > 0; --more) {
    const std::string token = input.text(1 + input.number() % 6);
    const bool known = std::find(specials.begin(), specials.end(), token) != specials.end();
    if (!token.empty() && !known && is_text(token)) specials.push_back(token);
  }
  const std::string text = input.text(400);
  check_scanner(text);
  const bool replace = choice % 2 == 1;
  const Counted counted =
      count_texts(random, {text}, specials, threads, block_bytes, replace, pattern_of(pattern));
  std::size_t valid = 0;
  points_of(text, valid);
  if (valid == text.size()) {
    check(!counted.invalid.found && as_map(counted.words) == count_portably(text, specials, pattern),
          "the counts differ", text);
    check(pattern != "gpt2" || as_map(counted.words) == count_slowly(text, specials), "not the definition", text);
  } else if (replace) {
    const Counted whole = count_texts(random, {text}, specials, 1, 4096, true, pattern_of(pattern));
    check(!counted.invalid.found && as_map(counted.words) == as_map(whole.words), "a cut changes counts", text);
  } else {
    check(counted.invalid.found && counted.invalid.offset == valid, "another error was found", text);
  }
}

[[maybe_unused]] void fuzz_merging(Input input) {
  const unsigned letters = 1 + input.number() % 4;
  const int threads = few_threads(input);
  Random random(input.number());
  std::uint64_t left = INT64_MAX;  // of the bytes of all words, as the package refuses more
  Counts counts;
  while (input.at < input.end && counts.size() < 12) {
    const unsigned size = input.number(), shift = input.number() % 64;
    std::string word = input.text(1 + size % 16);
    for (char& letter : word) letter = "a\0\xff" "b"[static_cast<std::uint8_t>(letter) % letters];
    if (word.empty() || counts.count(word) != 0) continue;
    const std::uint64_t most = left / word.size();
    if (most == 0) break;
    counts[word] = std::min(most, (std::uint64_t{1} << shift) + size / 16);
    left -= counts[word] * word.size();
  }
  if (!counts.empty()) check_stages_of(random, counts, {threads});
}

[[maybe_unused]] void fuzz_encoding(Input input) {
  const int threads = few_threads(input);
  Random random(input.number());
  std::vector<Pair> merges;
  std::set<Pair> known;
  Ids tokens;
  for (const char letter : std::string("ab e'\n\xC3\xA4")) tokens.push_back(static_cast<std::uint8_t>(letter));
  for (unsigned more = input.number() % 32; more > 0; --more) {
    const std::uint32_t one = tokens[input.number() % tokens.size()], other = tokens[input.number() % tokens.size()];
    if (!known.insert(pair_of(one, other)).second) continue;
    tokens.push_back(kBytes + static_cast<std::uint32_t>(merges.size()));
    merges.push_back(pair_of(one, other));
  }
  const std::string text = input.text(300);
  const MergeTable table(merges);
  WordMerger merger(table);
  Ids merged(bytes_of(text), bytes_of(text) + text.size());
  merger.merge(merged);
  check(merged == merge_slowly(text, merges), "a word is merged otherwise", text);
  check(merge(merger, text) == merged, "a word is merged otherwise than its tokens", text);

  const auto vocabulary = std::make_shared<const Vocabulary>(merges, every_id(merges.size()));
  const std::vector<std::string> special_tokens = {"<a>", "<a><b>", " <c"};
  const SpecialIds specials(special_tokens, {9003, 9006, 9003}, {});
  const bool good = is_text(text);
  const Ids expected = good ? encode_slowly(text, merges, special_tokens) : Ids();
  std::vector<std::unique_ptr<TextEncoder>> owned;
  std::vector<TextEncoder*> encoders;
  for (int i = 0; i < threads; ++i) {
    owned.push_back(std::make_unique<TextEncoder>(vocabulary, PatternId::kGpt2));
    encoders.push_back(owned.back().get());
  }
  Ids parts;
  std::size_t at = 0;
  bool taken = true;
  do {
    const std::size_t size = std::min<std::size_t>(below(random, 60), text.size() - at);
    taken = encoders[0]->feed(bytes_of(text) + at, size, at + size == text.size(), specials);
    if (taken) parts.insert(parts.end(), encoders[0]->ids(), encoders[0]->ids() + encoders[0]->count());
    at += size;
  } while (taken && at < text.size());
  encoders[0]->reset();
  check(taken == good, "good text was called bad, or bad text good", text);
  check(!good || parts == expected, "parts of a text have other ids", text);
  std::vector<Ids> ids;
  const std::vector<Document> documents(static_cast<std::size_t>(threads), {bytes_of(text), text.size()});
  const std::size_t encoded = encode_documents(encoders, documents, specials, ids);
  check(encoded == (good ? documents.size() : 0), "a document was called otherwise", text);
  check(!good || ids == std::vector<Ids>(documents.size(), expected), "a document has other ids", text);
}

}  // namespace

}  // namespace bpe_lab

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  bpe_lab::FUZZED({bytes, bytes + size});
  return 0;
}
