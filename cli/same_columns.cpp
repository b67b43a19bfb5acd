#include "cli/same_columns.hpp"

#include "cli/verbs.hpp"

namespace expose::cli {

namespace {

constexpr const char* kInstead = "; leave the option out, or make another model";

void require_known(const std::string& model, const std::string& option, const std::string& name,
                   const Columns& columns) {
  if (name.empty() || std::ranges::find(columns.all(), name, &Column::name) != columns.all().end()) return;
  throw CommandError(option + " " + name + ": " + model + " knows no such column" + kInstead);
}

void require_same(const std::string& model, const ColumnChoice& choice, const Column& column) {
  const std::string role = "column '" + column.name + "' as a " + name(column.role);
  const auto refuse = [&](const std::string& said) {
    throw CommandError(said + ": " + model + " was made with " + role + kInstead);
  };
  const bool used = is_feature(column.role);
  if (used && is_one_of(column.name, choice.ignore)) refuse("--ignore " + column.name);
  if (used && !choice.columns.empty() && !is_one_of(column.name, choice.columns)) {
    refuse("--columns lacks " + column.name);
  }
  if (column.role == Role::ignored && is_one_of(column.name, choice.columns)) refuse("--columns " + column.name);
  if (!choice.time.empty() && (column.name == choice.time) != (column.role == Role::time)) {
    refuse("--time " + choice.time);
  }
  if (is_one_of(column.name, choice.category) && column.role != Role::category) refuse("--category " + column.name);
}

}  // namespace

void require_one_role(const ColumnChoice& choice) {
  struct Named {
    std::string option, column;
  };
  std::vector<Named> named = {{"--label", choice.label}, {"--id", choice.id}, {"--time", choice.time}};
  for (const std::string& name : choice.category) named.push_back({"--category", name});
  for (const std::string& name : choice.ignore) named.push_back({"--ignore", name});
  const auto may_share = [](const Named& a, const Named& b) {
    const bool time_as_id = a.option == "--id" && b.option == "--time";
    const bool set_aside = b.option == "--ignore" && (a.option == "--label" || a.option == "--id");
    return a.column.empty() || a.column != b.column || a.option == b.option || time_as_id || set_aside;
  };
  for (std::size_t i = 0; i < named.size(); ++i) {
    for (std::size_t j = i + 1; j < named.size(); ++j) {
      if (may_share(named[i], named[j])) continue;
      throw CommandError("'" + named[i].column + "' is named by " + named[i].option + " and by " + named[j].option +
                         "; a column has one role");
    }
  }
}

void require_same_columns(const std::string& model, const ColumnChoice& choice, const Columns& columns) {
  require_known(model, "--time", choice.time, columns);
  for (const std::string& name : choice.category) require_known(model, "--category", name, columns);
  for (const Column& column : columns.all()) require_same(model, choice, column);
}

}  // namespace expose::cli
