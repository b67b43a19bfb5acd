#include "cli/choices.hpp"

#include "cli/verbs.hpp"
#include "expose/base/pool.hpp"

namespace expose::cli {

namespace {

char delimiter_named(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"" && text != "\n") return text.front();
  throw Error(Code::invalid_argument, "a delimiter is one character, or tab");
}

Format format_named(const std::string& text) {
  if (text == "csv") return Format::csv;
  if (text == "jsonl" || text == "json" || text == "ndjson") return Format::jsonl;
  if (text == "table") return Format::table;
  throw Error(Code::invalid_argument, "formats are csv, jsonl and table, not '" + text + "'");
}

// A map of given values comes from a program, with a kernel of its own.
MapKind chosen_map(const std::string& text) {
  const MapKind kind = map_named(text);
  if (kind != MapKind::given) return kind;
  throw Error(Code::invalid_argument, "maps are auto, nystrom, fourier, sorf, fastfood and isolation, not 'given'");
}

// "auto" leaves it open.
template <class T, class Read>
auto open_or(std::optional<T>& into, const Read& read) {
  return [&into, read](const std::string& text) {
    if (text == "auto") {
      into.reset();
    } else {
      into = read(text);
    }
  };
}

// A complaint about options is one about the command line.
template <class Check>
void on_command_line(const Check& check) {
  try {
    check();
  } catch (const Error& error) {
    throw CommandError(error.what());
  }
}

}  // namespace

void declare_input(Arguments& arguments, InputChoice& choice) {
  arguments
      .positionals("FILES",
                   "csv, tsv, ndjson (jsonl), npy or parquet, the text ones also as .gz or .zst; read as one "
                   "table. - or nothing: standard input",
                   choice.files)
      .file = FileUse::table;
  declare_reading(arguments, choice);
}

void declare_reading(Arguments& arguments, InputChoice& choice) {
  arguments.group("Columns");
  const auto one = [](std::string& into) {
    return [&into](const std::string& text) {
      if (!into.empty()) throw Error(Code::invalid_argument, "one column, not both '" + into + "' and '" + text + "'");
      into = text;
    };
  };
  arguments.option("--label", "COL", "what is known about the rows; never used to fit", one(choice.columns.label));
  arguments.option("--id", "COL", "copied to the output; may be the time too", one(choice.columns.id));
  arguments.option("--time", "COL", "a column of times; the time of day and the day of the week are learned",
                   one(choice.columns.time));
  arguments.option("--ignore", "COL,..", "left out", choice.columns.ignore);
  arguments.option("--columns", "COL,..", "these alone", choice.columns.columns);
  arguments.option("--category", "COL,..", "numbers that are names, such as postal codes", choice.columns.category);
  arguments.group("Reading");
  arguments.option("--delimiter", "CHAR", "between the fields of csv, or tab; found out if not said",
                   [&choice](const std::string& text) { choice.delimiter = delimiter_named(text); });
  arguments
      .option("--header", "yes|no", "whether csv begins with the names of its columns; found out if not said",
              [&choice](const std::string& text) {
                if (text != "yes" && text != "no") throw Error(Code::invalid_argument, "yes or no, not '" + text + "'");
                choice.header = text == "yes";
              })
      .choices = {"yes", "no"};
  arguments
      .option("--rejects", "FILE", "the numbers of bad rows, and why they are bad",
              [&choice](const std::string& text) {
                if (text == "-") throw Error(Code::invalid_argument, "name a file; standard output is for results");
                choice.rejects = text;
              })
      .file = FileUse::written;
  bool& strict = choice.strict;
  arguments.flag("--strict", "exit code 3 if there were bad rows", strict);
  arguments.option("--threads", "N", "0: one for each core (default 0)", [&choice](const std::string& text) {
    choice.threads = to_count(text);
    if (choice.threads <= Pool::kMostThreads) return;
    throw Error(Code::invalid_argument, "there are at most " + std::to_string(Pool::kMostThreads) + " threads");
  });
}

namespace {

void declare_options(Arguments& arguments, Options& options) {
  arguments
      .option("--kernel", "NAME", "gaussian, laplacian, matern32 or matern52 (default gaussian)",
              [&options](const std::string& text) { options.kernel = kernel_named(text, 0.0); })
      .choices = {"gaussian", "laplacian", "matern32", "matern52"};
  arguments.option("--bandwidth", "S", "auto, or a number in scaled units (default auto: 0.354 x the median distance)",
                   open_or(options.bandwidth, to_number));
  arguments
      .option("--map", "NAME", "auto, nystrom, fourier, sorf, fastfood or isolation (default auto)",
              open_or(options.map, chosen_map))
      .choices = {"auto", "nystrom", "fourier", "sorf", "fastfood", "isolation"};
  arguments.option(
      "-r,--r", "N", "landmarks or frequencies (default auto: 256 for nystrom, 512 for isolation, else 2048)",
      open_or(options.r, [](const std::string& text) { return static_cast<std::size_t>(to_count(text)); }));
  arguments.option("--scale", "NAME", "robust, zscore or none (default robust)", open_or(options.scale, scale_named))
      .choices = {"robust", "zscore", "none"};
  arguments
      .option("--memory", "M",
              "everything, window:L (the last L rows) or fading:G (the newest row weighs G) "
              "(default everything)",
              [&options](const std::string& text) { options.memory = memory_named(text); })
      .choices = {"everything", "window:1000", "fading:0.01"};
  arguments.option("--trim", "SHARE",
                   "the rows least like the rest, which are judged but not learned: the gate keeps out what is as "
                   "unlike as this share of the sample (default 0.2; 0 for window and fading)",
                   open_or(options.trim, to_number));
  arguments
      .option("--missing", "HOW",
              "of missing values: integrate (judge a row by the values it has) or reject (such rows are bad rows) "
              "(default integrate)",
              [&options](const std::string& text) { options.missing = missing_named(text); })
      .choices = {"integrate", "reject"};
  arguments
      .option("--preset", "NAME", "balanced, or paper: as published (default balanced)",
              [&options](const std::string& text) { options.preset = preset_named(text); })
      .choices = {"balanced", "paper"};
  arguments.option("--seed", "N", "of all that is drawn (default 0)",
                   [&options](const std::string& text) { options.seed = to_count(text); });
}

}  // namespace

void declare_plan(Arguments& arguments, Options& options, Said* said) {
  Arguments plan;
  declare_options(plan, options);
  arguments.group("Plan");
  for (const Argument& argument : plan.all()) {
    const auto set = [said, set = argument.set, name = long_name(argument)](const std::string& text) {
      set(text);
      if (said != nullptr) said->push_back(name);
    };
    arguments.option(argument.flags, argument.value, argument.help, set).choices = argument.choices;
  }
}

void require_no_plan(const Said& said, const std::string& instead) {
  if (said.empty()) return;
  throw CommandError(said.front() + ": " + instead + " has a plan already; leave out the options under Plan");
}

void declare_threshold(Arguments& arguments, ThresholdChoice& choice) {
  arguments.group("Threshold");
  arguments.option("--alpha", "P", "flag a row when its p-value is at most this (default 0.01)", choice.alpha);
  arguments.option("--fdr", "Q", "or: of the flagged rows, at most this share is normal", choice.fdr);
  arguments.option("--contamination", "SHARE", "or: flag this share of the rows", choice.contamination);
  arguments.option("--top", "K", "or: flag the K most anomalous rows, and show them alone, most anomalous first",
                   choice.top);
}

std::optional<Threshold> threshold_of(const ThresholdChoice& choice) {
  Options options;
  if (!choice.alpha && !choice.fdr && !choice.contamination && !choice.top) return std::nullopt;
  return expose::threshold_of(with(options, choice, 0));
}

Options with(Options options, const ThresholdChoice& choice, std::size_t threads) {
  if (choice.alpha) options.alpha = *choice.alpha;
  options.fdr = choice.fdr;
  options.contamination = choice.contamination;
  options.top = choice.top;
  options.threads = threads;
  on_command_line([&] {
    if (choice.alpha && (choice.fdr || choice.contamination || choice.top)) {
      throw CommandError("rows are flagged by one rule: --alpha, --fdr, --contamination or --top");
    }
    require_valid(options);
    require_valid(expose::threshold_of(options));
  });
  return options;
}

void declare_output(Arguments& arguments, OutputChoice& choice) {
  arguments.group("Output");
  arguments.option("-o,--output", "FILE", "where the verdicts go (default: standard output)", choice.path).file =
      FileUse::written;
  arguments
      .option("--format", "FORMAT", "csv, jsonl or table (default: table on a terminal, else csv)",
              [&choice](const std::string& text) { choice.format = format_named(text); })
      .choices = {"csv", "jsonl", "table"};
  arguments.option("--json", "", "the same as --format jsonl",
                   [&choice](const std::string&) { choice.format = Format::jsonl; });
  arguments.flag("--only-anomalies", "leave out the rows that are not flagged", choice.only_anomalies);
  arguments.option("--reasons", "K", "the K columns that make a row unlike the rest", choice.reasons);
}

Format format_of(const OutputChoice& choice, bool terminal) {
  if (choice.format) return *choice.format;
  if (choice.path.ends_with(".jsonl") || choice.path.ends_with(".ndjson")) return Format::jsonl;
  return terminal && to_standard_output(choice) ? Format::table : Format::csv;
}

void declare_model(Arguments& arguments, std::string& path) {
  arguments.group("Model");
  Argument& model = arguments.option("-m,--model", "MODEL", "the model, as expose fit wrote it", path);
  model.required = true;
  model.file = FileUse::model;
}

void declare_json(Arguments& arguments, bool& json) {
  arguments.group("Output");
  arguments.flag("--json", "the answer as a JSON object, for programs", json);
}

}  // namespace expose::cli
