#include "io/csv.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "expose/encode/field.hpp"
#include "io/csv_scan.hpp"

namespace expose::io {

namespace {

constexpr std::size_t kMostDigits = 19;                   // that always fit into 64 bits
constexpr std::uint64_t kExact = std::uint64_t{1} << 53;  // whole numbers up to here are doubles
constexpr std::array<double, 23> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

const char* read_digits(const char* p, std::uint64_t& number) {
  for (; is_digit(*p); ++p) number = 10 * number + static_cast<std::uint64_t>(*p - '0');
  return p;
}

// number / 10^fraction, rounded once, or false (D. Lemire, "Number parsing at a gigabyte per second", 2021). The parts
// of fast_float and not its from_chars, which would go through the digits again: a third of the time of long numbers.
bool divide(std::uint64_t number, std::size_t fraction, double& quotient) {
  using Double = fast_float::binary_format<double>;
  const auto rounded = fast_float::compute_float<Double>(-static_cast<std::int64_t>(fraction), number);
  if (rounded.power2 < 0) return false;
  fast_float::to_float(false, rounded, quotient);
  return true;
}

// Digits with a point and a sign, which nearly all numbers are; nullptr for anything else. A number below 2^53 and a
// power of ten up to 22 are doubles, so one division rounds as it must (W. Clinger, PLDI 1990).
const char* read_plain(const char* p, double& value) {
  const bool negative = *p == '-';
  p += negative ? 1 : 0;
  const char* const first = p;
  std::uint64_t number = 0;
  p = read_digits(p, number);
  auto digits = static_cast<std::size_t>(p - first);
  std::size_t fraction = 0;
  if (*p == '.') {
    const char* const point = ++p;
    p = read_digits(p, number);
    fraction = static_cast<std::size_t>(p - point);
    digits += fraction;
  }
  if (digits - 1 >= kMostDigits) return nullptr;  // none, or too many
  double size = 0;
  if (number <= kExact) {
    size = static_cast<double>(number) / kPowers[fraction];
  } else if (!divide(number, fraction, size)) {
    return nullptr;
  }
  value = negative ? -size : size;
  return p;
}

class Piece {
 public:
  Piece(std::span<const char> bytes, const Dialect& dialect, const Layout& layout, TableBlock& block)
      : p_(bytes.data()), end_(p_ + bytes.size()), dialect_(dialect), layout_(layout), block_(block) {
    block_.begin(layout, bytes.size(), rows_in(bytes, layout.columns.size()));
  }

  // How many lines there were.
  std::size_t parse() {
    const bool alone = layout_.columns.size() == 1;
    while (p_ < end_) {
      if (!alone && at_line_end()) {
        next_line();
      } else {
        parse_row();
      }
    }
    return line_;
  }

 private:
  bool at_line_end() const { return *p_ == '\n' || (*p_ == '\r' && p_[1] == '\n'); }
  bool at_field_end(const char* p) const {
    return *p == dialect_.delimiter || *p == '\n' || (*p == '\r' && p[1] == '\n');
  }
  void next_line() {
    p_ += *p_ == '\r' ? 2 : 1;
    ++line_;
  }

  void parse_row() {
    double* const row = block_.add_row(line_);
    const std::size_t columns = layout_.columns.size();
    const Place* const places = layout_.columns.data();
    why_.clear();
    std::size_t c = 0;
    const char* begin = p_;
    for (;;) {
      const Place place = c < columns ? places[c] : Place{};
      begin = p_;
      if (place.want == Want::number) {
        const char* const next = read_plain(p_, row[place.at]);
        if (next != nullptr && at_field_end(next)) {
          p_ = next;
        } else {
          parse_number(c, row[place.at]);
        }
      } else {
        parse_text(place);
      }
      ++c;
      if (*p_ != dialect_.delimiter) break;
      ++p_;
    }
    const bool ends_empty = begin == p_;
    next_line();
    // A delimiter at the end of the line is a habit of some programs.
    if (c != columns && !(c == columns + 1 && ends_empty) && why_.empty()) {
      why_ = std::to_string(c) + (c == 1 ? " field" : " fields") + ", the table has " + std::to_string(columns);
    }
    if (!why_.empty()) block_.mark_bad(block_.rows() - 1, why_);
  }

  std::string_view field() {
    const char* const begin = p_;
    const ScannedField scanned = scan_field(p_, end_, dialect_.delimiter, scratch_);
    if (!scanned.closed) why_ = "a quote is opened and never closed: " + in_quotes(scanned.text);
    if (*begin == '"') line_ += static_cast<std::size_t>(std::count(begin, scanned.next, '\n'));
    p_ = scanned.next;
    return scanned.text;
  }

  void parse_number(std::size_t c, double& value) {
    const std::string_view text = field();
    const Field kind = read_number(text, value);
    if (kind == Field::number || kind == Field::missing || !why_.empty()) return;
    why_ = no_number(dialect_.names[c], text, kind);
  }

  void parse_text(const Place& place) {
    const std::string_view text = field();
    if (place.want == Want::text) block_.set_text(block_.rows() - 1, place.at, text);
  }

  const char* p_;
  const char* end_;
  const Dialect& dialect_;
  const Layout& layout_;
  TableBlock& block_;
  std::size_t line_ = 0;
  std::string why_;  // what is wrong with this row
  std::string scratch_;
};

// Collects the ends of records where no quote is open.
class Cutter {
 public:
  Cutter(std::span<const char> bytes, std::size_t piece, std::vector<std::size_t>& ends)
      : data_(bytes.data()), piece_(piece), target_(piece), ends_(ends) {}

  // Newlines in [begin, end) end records.
  void plain(std::size_t begin, std::size_t end) {
    while (end >= target_) {
      const std::size_t from = std::max(begin, target_ - 1);
      const auto* const newline = static_cast<const char*>(std::memchr(data_ + from, '\n', end - from));
      if (newline == nullptr) break;
      begin = static_cast<std::size_t>(newline - data_) + 1;
      cut(begin);
    }
    const std::size_t last = std::string_view(data_ + begin, end - begin).rfind('\n');
    if (last != std::string_view::npos) last_ = begin + last + 1;
  }
  void cut(std::size_t at) {
    ends_.push_back(at);
    last_ = at;
    target_ = at + piece_;
  }
  void finish() {
    if (last_ > 0 && (ends_.empty() || ends_.back() < last_)) ends_.push_back(last_);
  }

 private:
  const char* data_;
  std::size_t piece_;
  std::size_t target_;    // the next cut is the first record that ends here or later
  std::size_t last_ = 0;  // the last end that was seen
  std::vector<std::size_t>& ends_;
};

class Csv final : public TextFormat {
 public:
  explicit Csv(Dialect dialect) : dialect_(std::move(dialect)) {
    names_ = dialect_.names;
    skip_bytes_ = dialect_.skip_bytes;
    skip_lines_ = dialect_.skip_lines;
  }

  void cut(std::span<const char> bytes, std::size_t piece, bool final, std::vector<std::size_t>& ends) const override {
    const std::string_view text(bytes.data(), bytes.size());
    const char* const begin = bytes.data();
    Cutter cutter(bytes, piece, ends);
    std::size_t at = 0;
    for (;;) {
      const std::size_t quote = std::min(text.find('"', at), text.size());
      cutter.plain(at, quote);
      if (quote == text.size()) break;
      at = quote + 1;
      const bool opens = quote == 0 || text[quote - 1] == dialect_.delimiter || text[quote - 1] == '\n';
      if (!opens) continue;
      const char* const close = closing_quote(begin + at, begin + text.size());
      if (close != nullptr) {
        at = static_cast<std::size_t>(close - begin) + 1;
        continue;
      }
      const std::size_t line_end = text.find('\n', quote);
      if (!final || line_end == std::string_view::npos) break;
      at = line_end + 1;
      cutter.cut(at);
    }
    cutter.finish();
  }

  std::size_t parse(std::span<const char> piece, const Layout& layout, TableBlock& block) const override {
    return Piece(piece, dialect_, layout, block).parse();
  }

 private:
  Dialect dialect_;
};

}  // namespace

std::unique_ptr<TextFormat> csv_format(Dialect dialect) { return std::make_unique<Csv>(std::move(dialect)); }

}  // namespace expose::io
