// encode/: columns and their roles; texts become numbers.
#include "expose/encode/encoder.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <limits>

#include "expose/encode/field.hpp"
#include "expose/encode/guess.hpp"
#include "python/bindings/bindings-inl.hpp"

namespace expose::python {

namespace {

using Codes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Texts = std::vector<std::string>;

// A column as texts: which of them each row has, -1 for none.
struct TextColumn {
  std::span<const std::int32_t> codes;
  const Texts* texts;

  std::string_view at(std::size_t i) const {
    const std::int32_t code = codes[i];
    return code < 0 ? std::string_view() : std::string_view((*texts)[static_cast<std::size_t>(code)]);
  }
};

constexpr std::size_t kChunkRows = 65536;

// Some rows of the columns that a layout asks for.
void fill(TableBlock& block, const Layout& layout, const std::vector<TextColumn>& columns, std::size_t begin,
          std::size_t end) {
  std::size_t bytes = 0;
  for (const TextColumn& column : columns) {
    for (std::size_t i = begin; i < end; ++i) bytes += column.at(i).size();
  }
  block.begin(layout, bytes);
  for (std::size_t i = begin; i < end; ++i) {
    block.add_row(i);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (layout.columns[c].want == Want::text) block.set_text(i - begin, layout.columns[c].at, columns[c].at(i));
    }
  }
}

// Of a sequence of (codes, texts), which must outlive the answer.
struct TextColumns {
  std::vector<Codes> codes;
  std::vector<Texts> texts;

  explicit TextColumns(const nb::sequence& pairs) {
    for (const nb::handle pair : pairs) {
      codes.push_back(nb::cast<Codes>(pair[0]));
      texts.push_back(nb::cast<Texts>(pair[1]));
    }
  }
  std::size_t rows() const { return codes.empty() ? 0 : codes.front().size(); }
  std::vector<TextColumn> columns() const {
    std::vector<TextColumn> all;
    for (std::size_t c = 0; c < codes.size(); ++c) all.push_back({span_of(codes[c]), &texts[c]});
    return all;
  }
};

// The numbers that each of some texts becomes in a column, and last those of a missing one. A text that is no number
// or time where there must be one is infinite: its row will be rejected.
std::vector<double> encode_texts(const Column& column, const Texts& texts) {
  const std::size_t n = texts.size() + 1;
  if (column.role == Role::number) {
    std::vector<double> numbers(n, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Field field = read_number(texts[i], numbers[i]);
      if (field != Field::number && field != Field::missing) numbers[i] = std::numeric_limits<double>::infinity();
    }
    return numbers;
  }
  const Encoder encoder(Columns({column}), std::vector<std::string>{column.name});
  std::vector<std::int32_t> codes(n);
  for (std::size_t i = 0; i < n; ++i) codes[i] = i < texts.size() ? static_cast<std::int32_t>(i) : -1;
  TableBlock block;
  fill(block, encoder.layout(), {{codes, &texts}}, 0, n);
  encoder.encode(block);
  return {block.numbers(0), block.numbers(0) + n * block.width()};
}

Role role_named(const std::string& its_name) {
  for (const Role role : {Role::number, Role::category, Role::time, Role::id, Role::label}) {
    if (name(role) == its_name) return role;
  }
  return Role::ignored;
}

void bind_guesser(nb::module_& m) {
  using nb::arg;
  nb::class_<ColumnGuesser>(m, "ColumnGuesser")
      .def(
          "__init__",
          [](ColumnGuesser* self, std::vector<std::string> names, std::vector<std::string> category) {
            new (self) ColumnGuesser(std::move(names), ColumnChoice{.category = std::move(category)});
          },
          arg("names"), arg("category"))
      .def("look",
           [](ColumnGuesser& guesser, const nb::sequence& pairs) {
             const TextColumns texts(pairs);
             TableBlock block;
             fill(block, all_texts(texts.codes.size()), texts.columns(), 0, std::min(kChunkRows, texts.rows()));
             guesser.look(block);
           })
      .def("count",
           [](ColumnGuesser& guesser, const nb::sequence& pairs) {
             const TextColumns texts(pairs);
             TableBlock block;
             for (std::size_t begin = 0; begin < texts.rows(); begin += kChunkRows) {
               fill(block, guesser.layout(), texts.columns(), begin, std::min(begin + kChunkRows, texts.rows()));
               guesser.count(block);
             }
           })
      .def("guess", [](const ColumnGuesser& guesser) {
        Guess guess = guesser.guess();
        return nb::make_tuple(guess.columns.all(), guess.notes);
      });
}

}  // namespace

void bind_encode(nb::module_& m) {
  using nb::arg;
  nb::class_<Column>(m, "Column")
      .def(
          "__init__",
          [](Column* self, std::string its_name, const std::string& role) {
            new (self) Column{.name = std::move(its_name), .role = role_named(role)};
          },
          arg("name"), arg("role") = "number")
      .def_ro("name", &Column::name)
      .def_prop_ro("role", [](const Column& column) { return name(column.role); })
      .def_ro("levels", &Column::levels)
      .def_ro("rare", &Column::rare)
      .def_ro("open", &Column::open)
      .def_prop_ro("width", [](const Column& column) { return width(column); })
      .def("encode", [](const Column& column, const Texts& texts) {
        return array_of(encode_texts(column, texts), {texts.size() + 1, width(column)});
      });
  nb::class_<Columns> columns_type(m, "Columns");
  columns_type.def(nb::init<std::vector<Column>>(), arg("columns"))
      .def_prop_ro("all", [](const Columns& columns) { return columns.all(); })
      .def_prop_ro("width", &Columns::width)
      .def("first_number", &Columns::first_number)
      .def_prop_ro(
          "owners",
          [](const Columns& columns) {
            return array_of(std::vector<std::uint32_t>(columns.owners().begin(), columns.owners().end()));
          },
          nb::rv_policy::move)
      .def("number_name", &Columns::number_name)
      .def("require", [](const Columns& columns, const std::vector<std::string>& header) { columns.match(header); })
      .def("description", &Columns::description)
      .def(
          "__eq__", [](const Columns& a, const Columns& b) { return a == b; }, nb::is_operator());
  columns_type.attr("__hash__") = nb::none();
  bind_guesser(m);
}

}  // namespace expose::python
