// ColumnGuesser: what the columns of a table are for, guessed from its texts.
//
// look() at some rows tells numbers from texts; count() those texts, in as many rows as there are, tells categories
// from ids and free text. The guess depends on which rows were seen, not on their order or blocks (but for the rows
// that are looked at). Memory is bounded for any table. A plain value; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "expose/encode/columns.hpp"
#include "expose/encode/table.hpp"
#include "expose/encode/text_map.hpp"

namespace expose {

// What a user says about columns; names that are empty say nothing.
struct ColumnChoice {
  std::string label = {};
  std::string id = {};
  std::string time = {};
  std::vector<std::string> ignore = {};
  std::vector<std::string> columns = {};   // if there are any: all others are ignored
  std::vector<std::string> category = {};  // numbers that are names, such as postal codes
};

struct Guess {
  Columns columns;
  std::vector<std::string> notes;  // sentences: what was ignored and why, what looks odd
};

class ColumnGuesser {
 public:
  // A value gets an indicator of its own if it is one of the 64 most frequent and holds at least 1/1000 of the rows,
  // and two rows. A column of texts is a category if such values hold half of its rows.
  static constexpr std::size_t kMostLevels = 64;
  static constexpr std::size_t kLeastShare = 1000;
  // More different texts than that are no category, whatever their shares: counting them takes memory.
  static constexpr std::size_t kMostTexts = 65536;
  static constexpr std::size_t kLongestText = 256;  // bytes; a longer one is free text
  static constexpr std::size_t kMostRare = 1024;    // more rare values than that are not listed: the category is open

  // Throws Code::not_found, with the nearest name, for a chosen column that is not there.
  ColumnGuesser(std::vector<std::string> names, ColumnChoice choice);

  // At the first rows of a block, or all. REQUIRES: blocks of the layout all_texts(names.size())
  void look(const TableBlock& block, std::size_t most = static_cast<std::size_t>(-1));
  // Whether some texts are to be counted, and which: texts alone.
  bool wants_counts() const;
  Layout layout() const;
  // REQUIRES: blocks of the layout layout(), after the last look
  void count(const TableBlock& block, std::size_t most = static_cast<std::size_t>(-1));

  Guess guess() const;

 private:
  struct Seen {
    std::size_t values = 0;  // looked at and not missing; numbers and times among them
    std::size_t numbers = 0;
    std::size_t times = 0;
    std::size_t commas = 0;  // numbers with a decimal comma
    std::size_t lists = 0;   // several numbers with blanks between them
    bool in_steps = true;    // each number is the one before and 1
    double last = 0;
    std::size_t counted = 0;  // not missing
    std::size_t longer = 0;   // of those, longer than kLongestText
    bool too_many = false;
    TextMap<std::size_t> counts;
  };

  Role chosen(const std::string& name, Role otherwise) const;
  bool to_be_counted(std::size_t c) const;
  Column decide(std::size_t c, std::vector<std::string>& notes) const;
  Column category(std::size_t c) const;
  void note_oddities(std::vector<std::string>& notes) const;

  std::vector<std::string> names_;
  ColumnChoice choice_;
  std::vector<Seen> seen_;
};

}  // namespace expose
