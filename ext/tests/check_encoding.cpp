// The encoder against a slow one: words, texts in blocks, threads.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checks.hpp"
#include "slow_counting.hpp"
#include "text_encoder.hpp"

namespace bpe_lab {

namespace {

using Ids = std::vector<std::uint32_t>;

// Each joins any token and one of the last: few of them could be those of a training.
std::vector<Pair> random_merges(Random& random, const std::string& letters) {
  Ids tokens;
  for (const char letter : letters) tokens.push_back(static_cast<std::uint8_t>(letter));
  std::vector<Pair> merges;
  std::set<Pair> known;
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t back = 1 + below(random, std::min<std::size_t>(tokens.size(), 6));
    const Pair pair = pair_of(one_of(random, tokens), tokens[tokens.size() - back]);
    if (!known.insert(pair).second) continue;
    tokens.push_back(kBytes + static_cast<std::uint32_t>(merges.size()));
    merges.push_back(pair);
  }
  return merges;
}

// All merges in their order, each from left to right.
Ids merge_slowly(const std::string& word, const std::vector<Pair>& merges) {
  Ids tokens(bytes_of(word), bytes_of(word) + word.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    Ids merged;
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (at + 1 < tokens.size() && pair_of(tokens[at], tokens[at + 1]) == merges[rank]) {
        merged.push_back(kBytes + static_cast<std::uint32_t>(rank));
        ++at;
      } else {
        merged.push_back(tokens[at]);
      }
    }
    tokens = std::move(merged);
  }
  return tokens;
}

Ids encode_slowly(const std::string& text, const std::vector<Pair>& merges,
                  const std::vector<std::string>& specials) {
  Ids ids;
  std::size_t begin = 0;
  const auto piece = [&](std::size_t end) {
    const std::string part = text.substr(begin, end - begin);
    std::size_t valid = 0, word = 0;
    for (const std::size_t word_end : word_ends(part, points_of(part, valid))) {
      for (const std::uint32_t token : merge_slowly(part.substr(word, word_end - word), merges)) ids.push_back(token);
      word = word_end;
    }
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = match_slowly(text, at, specials);
    if (length == 0) {
      ++at;
      continue;
    }
    piece(at);
    ids.push_back(9000 + static_cast<std::uint32_t>(length));
    begin = at += length;
  }
  piece(text.size());
  return ids;
}

Ids every_id(std::size_t merges) {
  Ids ids(kBytes + merges);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::uint32_t>(i);
  return ids;
}

Ids merge(WordMerger& merger, const std::string& word) {
  Ids tokens(word.size());
  tokens.resize(merger.merge(bytes_of(word), word.size(), tokens.data()));
  return tokens;
}

void check_words(Random& random, const std::vector<Pair>& merges, const std::string& letters) {
  const MergeTable table(merges);
  WordMerger merger(table);
  for (const std::size_t size : {0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 48, 49, 61, 62, 63, 64, 300, 1000}) {
    std::string word(size, letters[0]);
    for (char& letter : word) letter = letters[below(random, letters.size())];
    Ids tokens(bytes_of(word), bytes_of(word) + size);
    merger.merge(tokens);
    check(tokens == merge_slowly(word, merges), "a word is merged otherwise", word);
    check(merge(merger, word) == tokens, "a word is merged otherwise than its tokens", word);
  }
}

// Feeds a text in parts of any size. False: a token is refused.
bool feed_parts(Random& random, TextEncoder& encoder, const std::string& text, const SpecialIds& specials, Ids& ids) {
  std::size_t at = 0;
  do {
    const std::size_t size = std::min(below(random, 60), text.size() - at);
    at += size;
    if (!encoder.feed(bytes_of(text) + at - size, size, at == text.size(), specials)) return false;
    ids.insert(ids.end(), encoder.ids(), encoder.ids() + encoder.count());
  } while (at < text.size());
  return true;
}

// Wherever the parts of a text end, a token that is refused is found, and where it stands.
void check_refused(Random& random, TextEncoder& encoder, const std::string& text, const std::string& token) {
  const std::string all = text + token + "a b";
  Ids ids;
  const bool good = feed_parts(random, encoder, all, SpecialIds({}, {}, {token}), ids);
  check(!good && encoder.refused().token == token && encoder.refused().offset == text.size(),
        "a refused token was not found", all);
  encoder.reset();
}

// The cache begins with 4,096 slots and grows twice under these words; half of them come again, and stand in it.
void check_many_words(Random& random, TextEncoder& encoder, const std::vector<Pair>& merges) {
  const MergeTable table(merges);
  WordMerger merger(table);
  std::vector<std::string> words;
  Ids expected;
  for (std::size_t part = 0; part < 100; ++part) {
    std::string text;
    std::vector<std::size_t> lengths;
    expected.clear();
    for (std::size_t i = 0; i < 400; ++i) {
      if (below(random, 100) == 0) {
        words.emplace_back(16, '\0');  // what a free slot looks like
      } else if (words.empty() || below(random, 2) == 0) {
        words.emplace_back(1 + below(random, 20), 'a');
        for (char& letter : words.back()) letter = "aeios"[below(random, 5)];
      } else {
        words.push_back(one_of(random, words));
      }
      text += words.back();
      lengths.push_back(words.back().size());
      const Ids tokens = merge(merger, words.back());
      expected.insert(expected.end(), tokens.begin(), tokens.end());
    }
    encoder.feed_words(bytes_of(text), lengths);
    add_all_to_digest(Ids(encoder.ids(), encoder.ids() + encoder.count()));
    check(Ids(encoder.ids(), encoder.ids() + encoder.count()) == expected, "many words change ids", text);
  }
}

}  // namespace

void check_encoding(Random& random, std::size_t rounds) {
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const std::string letters : {"a", "ab", "abcd"}) {
      check_words(random, random_merges(random, letters), letters);
    }
    const std::vector<Pair> merges = random_merges(random, "aeiost' 0\n\xC3\xA4\xE4\xB8\xAD");
    const auto vocabulary = std::make_shared<const Vocabulary>(merges, every_id(merges.size()));
    const std::vector<std::string> tokens = {"<a>", "<a><b>", " <c"};
    const SpecialIds specials(tokens, {9003, 9006, 9003}, {});
    std::vector<std::string> texts;
    std::vector<Document> documents;
    std::vector<Ids> expected, ids;
    TextEncoder encoder(vocabulary, PatternId::kGpt2);
    for (std::size_t i = 0; i < 12; ++i) {
      std::string text;
      while (below(random, 4) != 0) {
        text += random_text(random, below(random, 200), true, false);
        text += one_of(random, tokens);
      }
      texts.push_back(text + std::string(below(random, 120), 'a'));
      expected.push_back(encode_slowly(texts.back(), merges, tokens));
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      documents.push_back({bytes_of(texts[i]), texts[i].size()});
      Ids parts;
      check(feed_parts(random, encoder, texts[i], specials, parts), "good text was called bad", texts[i]);
      encoder.reset();
      add_all_to_digest(parts);
      check(parts == expected[i], "parts of a text have other ids", texts[i]);
      check_refused(random, encoder, texts[i], "<r> r");
    }
    for (const std::size_t threads : {1, 3}) {
      std::vector<std::unique_ptr<TextEncoder>> owned;
      std::vector<TextEncoder*> encoders;
      for (std::size_t i = 0; i < threads; ++i) {
        owned.push_back(std::make_unique<TextEncoder>(vocabulary, PatternId::kGpt2));
        encoders.push_back(owned.back().get());
      }
      check(encode_documents(encoders, documents, specials, ids) == documents.size(), "a good text was bad", "");
      check(ids == expected, "threads change ids", texts[0]);
    }
    check_many_words(random, encoder, merges);
    texts[5] += "\xFF";
    documents[5] = {bytes_of(texts[5]), texts[5].size()};
    std::vector<TextEncoder*> alone{&encoder};
    check(encode_documents(alone, documents, specials, ids) == 5, "a bad text was not found", texts[5]);
    check(ids[6] == expected[6], "a bad text changes the next one", texts[6]);
  }
}

void fuzz_encoding(Random& random) {
  const std::vector<Pair> merges = random_merges(random, "aest' \xC3\xA4");
  const std::vector<std::string> tokens = {"<a>", "<a><b>", " <c"};
  std::string text;
  for (std::size_t i = below(random, 4); i > 0; --i) {
    text += random_text(random, below(random, 30), true, false) + one_of(random, tokens);
  }
  text += std::string(below(random, 70), 'a');
  TextEncoder encoder(std::make_shared<const Vocabulary>(merges, every_id(merges.size())), PatternId::kGpt2);
  const SpecialIds specials(tokens, {9003, 9006, 9003}, {});
  Ids ids;
  check(feed_parts(random, encoder, text, specials, ids), "good text was called bad", text);
  check(ids == encode_slowly(text, merges, tokens), "other ids", text);
}

}  // namespace bpe_lab
