// Columns: which columns a table has, what each of them is for, and which numbers a record becomes.
//
// Decided on a sample, then frozen: a part of the plan. A file is matched by the names in its header, so the order of
// its columns does not matter. A value; immutable; threads may share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "expose/base/api.hpp"
#include "expose/base/bytes.hpp"
#include "expose/encode/table.hpp"

namespace expose {

enum class Role : std::uint8_t {
  number,    // one number
  category,  // an indicator a level
  time,      // time of day and of week, as the cosine and sine of an angle each
  id,        // copied to the output
  label,     // what is known about the row; never used to fit
  ignored,
};

// "number", "category", ...
EXPOSE_API std::string name(Role role);
// Whether columns of this role become numbers.
inline bool is_feature(Role role) { return role == Role::number || role == Role::category || role == Role::time; }

// A category becomes an indicator (0 or 1) for each of its levels, and one more that the rare values share. A value
// that is none of them is -1 in all indicators: however the indicators are scaled, it is farther from every level than
// any two levels are from each other. A missing one is NaN in all.
struct Column {
  std::string name;
  Role role = Role::number;
  // The rest is for categories.
  std::vector<std::string> levels = {};  // ascending
  std::vector<std::string> rare = {};    // seen, but seldom: they share the last indicator; ascending
  bool open = false;                     // new values come all the time: they count as rare, and rare is empty
  bool operator==(const Column&) const = default;

  bool has_rare() const { return open || !rare.empty(); }
};

class EXPOSE_API Columns {
 public:
  static constexpr std::size_t kTimeNumbers = 4;
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  Columns() = default;
  // Throws Code::invalid_argument for a name that is empty or there twice, a category without levels, levels that are
  // not in ascending order.
  explicit Columns(std::vector<Column> columns);
  // n numbers without a name of their own: column_1, column_2, ...
  static Columns numbers(std::size_t n);

  const std::vector<Column>& all() const { return columns_; }
  // How many numbers a record becomes.
  std::size_t width() const { return owner_.size(); }
  // The first number of column c. REQUIRES: c < all().size()
  std::size_t first_number(std::size_t c) const { return first_[c]; }
  // The column that number k comes from, as an index into all(). REQUIRES: k < width()
  std::size_t owner(std::size_t k) const { return owner_[k]; }
  // The same for all numbers. As groups of Detector::explain they give one share a column, up to the last column that
  // has a number.
  std::span<const std::uint32_t> owners() const { return owner_; }
  // For each column the sum over its numbers, 0 where it has none: shares of numbers become shares of columns.
  // Throws Code::shape_mismatch unless there are width() numbers.
  std::vector<double> by_column(std::span<const double> per_number) const;
  // For people: amount, country=DE, country=(rare), when (hour, cos). REQUIRES: k < width()
  std::string number_name(std::size_t k) const;

  // Where the columns of a file go, and the place of each of our columns among the texts of a row: kNowhere for
  // numbers, what is ignored, and an id or label that the file does not have. Columns that we do not know are skipped.
  struct Match {
    Layout layout;
    std::vector<std::size_t> text;
  };
  // Throws Code::not_found, naming the column and the nearest name, if a number, category or time is missing.
  Match match(std::span<const std::string> header) const;

  // Only the columns that become numbers: what two tables must share for their rows to mean the same.
  Columns features() const;

  // For people, a few lines: how many numbers, and the columns of each role.
  std::string description() const;
  // For people: the first names, "amount, country and 12 more".
  std::string names(std::size_t most) const;

  void write(Writer& writer) const;
  // Throws Code::corrupt for bytes that are no columns.
  static Columns read(Reader& reader);

  bool operator==(const Columns& other) const { return columns_ == other.columns_; }

 private:
  std::vector<Column> columns_;
  std::vector<std::size_t> first_;    // one a column
  std::vector<std::uint32_t> owner_;  // one a number
};

// How many numbers a column becomes.
std::size_t width(const Column& column);

}  // namespace expose
