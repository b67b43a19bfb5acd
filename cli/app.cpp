#include "cli/app.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>

#include "cli/files.hpp"
#include "cli/help.hpp"
#include "cli/output.hpp"
#include "cli/verbs.hpp"
#include "expose/base/version.hpp"
#include "expose/encode/nearest.hpp"

namespace expose::cli {

namespace {

const Verb& verb_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) {
    if (verb.name == name) return verb;
    names.push_back(verb.name);
  }
  throw CommandError("there is no verb '" + name + "'" + did_you_mean(name, names));
}

std::vector<std::string> option_names(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments.all()) {
    if (!argument.positional()) names.push_back(long_name(argument));
  }
  return names;
}

// The option stands before what is wrong with its value.
void set(const Argument& argument, const std::vector<std::string>& values) {
  try {
    for (const std::string& value : values) argument.set(value);
  } catch (const Error& error) {
    throw CommandError(long_name(argument) + ": " + error.what());
  }
}

// CLI11 takes the words apart; its complaints become ours. Returns the files that were named.
std::vector<NamedFile> parse(const Declared& declared, std::vector<std::string> words) {
  std::vector<NamedFile> files;
  const auto take = [&files](const Argument& argument, const std::vector<std::string>& values) {
    set(argument, values);
    if (argument.file == FileUse::none) return;
    for (const std::string& value : values) {
      if (argument.value == "MODEL" && value == "-")
        throw CommandError(long_name(argument) + ": a model is a file, - is none");
      files.push_back({value, long_name(argument), argument.file});
    }
  };
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  for (const Argument& argument : declared.arguments.all()) {
    if (argument.value.empty()) {
      app.add_flag_callback(argument.flags, [&argument] { set(argument, {""}); });
      continue;
    }
    CLI::Option* const option =
        argument.positional() && !argument.many
            ? app.add_option_function<std::string>(argument.flags,
                                                   [&](const std::string& value) { take(argument, {value}); })
            : app.add_option_function<std::vector<std::string>>(
                  argument.flags, [&](const std::vector<std::string>& values) { take(argument, values); });
    if (argument.many) option->expected(argument.required ? 1 : 0, CLI::detail::expected_max_vector_size);
    if (!argument.positional()) option->allow_extra_args(false)->take_all();
    option->required(argument.required);
  }
  std::ranges::reverse(words);
  try {
    app.parse(words);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();  // "--label: 1 required TEXT missing"
    throw CommandError(what.substr(0, what.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    throw CommandError(error.what());
  }
  // A table that nobody named comes through standard input, which may be a file too.
  const bool named = std::ranges::find(files, FileUse::table, &NamedFile::use) != files.end();
  if (!named) files.push_back({"-", "FILES", FileUse::table});
  std::vector<std::string> left = app.remaining();
  if (const auto mark = std::ranges::find(left, "--"); mark != left.end()) left.erase(mark);  // the end of the options
  if (left.empty()) return files;
  const std::string& wrong = left.front();
  if (wrong.starts_with('-')) {
    for (const Refused& refused : declared.arguments.refused()) {
      if (wrong.substr(0, wrong.find('=')) == refused.option) throw CommandError(refused.option + ": " + refused.why);
    }
    throw CommandError("there is no option " + wrong + did_you_mean(wrong, option_names(declared.arguments)));
  }
  throw CommandError("'" + wrong + "' is one word too many");
}

void print(const std::string& text) {
  Output out;
  out.write(text);
  out.close();
}

int run_verb(const Verb& verb, const std::vector<std::string>& words, Console& console) {
  const Declared declared = declare(verb);
  // Whoever asks for help need not have the rest right.
  if (std::ranges::any_of(words, [](const std::string& word) { return word == "-h" || word == "--help"; })) {
    print(help(declared, console));
    return kDone;
  }
  require_apart(parse(declared, words));
  if (declared.general->quiet) console.set_quiet();
  if (declared.general->plain) console.set_plain();
  return declared.job(console);
}

int run_checked(const std::vector<std::string>& words, Console& console) {
  if (words.empty()) {
    print(overview(console));
    return kDone;
  }
  const std::string& first = words.front();
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (first == "--version" || first == "-V" || first == "version") {
    print(std::string("expose ") + version() + "\n");
  } else if (first == "-h" || first == "--help" || (first == "help" && rest.empty())) {
    print(help(console));
  } else if (first == "help") {
    print(help(declare(verb_named(rest.front())), console));
  } else if (first == "man") {
    print(man_page());
  } else if (first == "completion") {
    print(completion(rest.empty() ? "" : rest.front()));
  } else {
    console.set_words(words);
    return run_verb(verb_named(first), rest, console);
  }
  return kDone;
}

}  // namespace

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {
      {"detect", "find the rows of a table that are unlike the rest", declare_detect},
      {"fit", "learn what is normal, and write a model", declare_fit},
      {"judge", "judge rows by a model", declare_judge},
      {"learn", "add rows to a model", declare_learn},
      {"forget", "take rows out of a model again, exactly", declare_forget},
      {"merge", "add models of the same plan, exactly", declare_merge},
      {"watch", "judge a stream row by row, and learn each row", declare_watch},
      {"drift", "whether two models or tables differ, and where", declare_drift},
      {"tune", "choose kernel and bandwidth with a few labels", declare_tune},
      {"evaluate", "how well verdicts agree with a label column", declare_evaluate},
      {"inspect", "what a model holds", declare_inspect},
      {"report", "a page with pictures, in one file", declare_report},
  };
  return all;
}

int run(const std::vector<std::string>& words, Console& console) {
  const auto complain = [&](const std::string& sentence) { console.complain("expose: " + sentence); };
  try {
    return run_checked(words, console);
  } catch (const ReaderGone&) {
    console.end_progress();
    return kDone;
  } catch (const CommandError& error) {
    complain(error.what());
    const std::string verb = words.empty() ? "" : " " + words.front();
    const bool known = std::ranges::any_of(verbs(), [&](const Verb& v) { return " " + v.name == verb; });
    console.complain(known ? "expose" + verb + " --help shows what it takes" : "expose help shows what there is");
    return kBadCommand;
  } catch (const Error& error) {
    complain(error.what());
  } catch (const std::bad_alloc&) {
    complain("there is not enough memory for this");
  } catch (const std::exception& error) {
    complain(error.what());
  }
  return kBadInput;
}

}  // namespace expose::cli
