#include "cli/help.hpp"

#include <algorithm>

#include "cli/layout.hpp"
#include "expose/base/version.hpp"

namespace expose::cli {

namespace {

constexpr std::size_t kHelpColumn = 26;

// "-o, --output FILE"
std::string shown(const Argument& argument) {
  std::string flags = argument.flags;
  if (const std::size_t comma = flags.find(','); comma != std::string::npos) flags.insert(comma + 1, " ");
  if (argument.positional()) return flags + (argument.many ? "..." : "");
  return argument.value.empty() ? flags : flags + " " + argument.value;
}

std::string usage(const Declared& declared) {
  std::string line = "expose " + declared.verb->name + " [options]";
  for (const Argument& argument : declared.arguments.all()) {
    if (argument.positional()) line += argument.required ? " " + shown(argument) : " [" + shown(argument) + "]";
  }
  return line;
}

// The headings in the order in which they came, the arguments first.
std::vector<std::string> groups(const Arguments& arguments) {
  std::vector<std::string> groups = {"Arguments"};
  for (const Argument& argument : arguments.all()) {
    if (std::ranges::find(groups, argument.group) == groups.end()) groups.push_back(argument.group);
  }
  std::erase_if(groups, [&](const std::string& group) {
    return std::ranges::none_of(arguments.all(), [&](const Argument& argument) { return argument.group == group; });
  });
  return groups;
}

}  // namespace

Declared declare(const Verb& verb) {
  Declared declared{&verb, {}, {}, std::make_shared<General>()};
  declared.job = verb.declare(declared.arguments);
  declared.arguments.group("General");
  declared.arguments.flag("-q,--quiet", "no messages but errors", declared.general->quiet);
  declared.arguments.flag("--no-color", "no colours, as with NO_COLOR in the environment", declared.general->plain);
  declared.arguments.flag("-h,--help", "this help", declared.general->help);
  return declared;
}

std::string overview(const Console& console) {
  return console.bold("expose") + " finds the rows that are unlike the rest.\n\n" +
         "  expose detect data.csv                        find the anomalies in a table\n"
         "  expose detect data.csv --top 20 --reasons 3   the twenty strangest, and why\n"
         "  expose fit data.csv -o normal.expose          learn what is normal,\n"
         "  expose judge -m normal.expose new.csv         and judge new rows by it\n"
         "  tail -f log.csv | expose watch                judge a stream, row by row\n"
         "  expose report data.csv -o report.html         a page with pictures\n\n" +
         "expose help lists all verbs; expose VERB --help says more about one.\n";
}

std::string help(const Console& console) {
  std::string text = "Usage: expose VERB [options] [FILES]\n\n" + console.bold("Verbs") + "\n";
  for (const Verb& verb : verbs()) text += "  " + padded(verb.name, 10) + verb.summary + "\n";
  return text + "\n" + console.bold("Also") +
         "\n"
         "  help VERB            what a verb does, with examples\n"
         "  completion SHELL     completion for bash, zsh or fish: eval \"$(expose completion bash)\"\n"
         "  man                  the man page, for man -l -\n"
         "  version              the version; also --version\n\n"
         "FILES are csv, tsv, ndjson (jsonl), npy or parquet, the text ones also as .gz or .zst; - or nothing is\n"
         "standard input. Results go to standard output or -o, messages to standard error.\n"
         "Exit codes: 0 done, 1 the input or the model is bad, 2 the command line is wrong,\n"
         "3 done, but rows were skipped and --strict was given.\n";
}

std::string help(const Declared& declared, const Console& console) {
  std::string text = console.bold("expose " + declared.verb->name) + ": " + declared.verb->summary + "\n\n" +
                     console.bold("Examples") + "\n";
  for (const Example& example : declared.arguments.examples()) {
    text += "  " + example.line + "\n";
    if (!example.does.empty()) text += "      " + console.faint(example.does) + "\n";
  }
  text += "\n" + console.bold("Usage") + "\n  " + usage(declared) + "\n";
  const std::size_t width = std::clamp(console.abilities().width, std::size_t{60}, std::size_t{100});
  for (const std::string& group : groups(declared.arguments)) {
    text += "\n" + console.bold(group) + "\n";
    for (const Argument& argument : declared.arguments.all()) {
      if (argument.group != group) continue;
      const std::string name = "  " + shown(argument);
      text += name.size() + 2 > kHelpColumn ? name + "\n" + std::string(kHelpColumn, ' ') : padded(name, kHelpColumn);
      text += wrapped(argument.help, width - kHelpColumn, kHelpColumn) + "\n";
    }
  }
  for (const std::string& note : declared.arguments.notes()) text += "\n" + wrapped(note, width, 0) + "\n";
  return text;
}

namespace {

// Text for roff: a line must not begin with a point or a quote, a minus is one to be copied.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    out += c;
  }
  return out;
}

std::string roff(const Declared& declared) {
  std::string page = ".SS expose " + declared.verb->name + "\n" + roff(declared.verb->summary) + ".\n.PP\n" +
                     roff(usage(declared)) + "\n";
  for (const Argument& argument : declared.arguments.all()) {
    page += ".TP\n.B " + roff(shown(argument)) + "\n" + roff(argument.help) + "\n";
  }
  for (const Example& example : declared.arguments.examples()) {
    if (!example.does.empty()) page += ".PP\n" + roff(example.does) + ":\n";
    page += ".PP\n.RS\n.nf\n" + roff(example.line) + "\n.fi\n.RE\n";
  }
  return page;
}

// What follows is only for the shells.
std::string words_of(const Arguments& arguments) {
  std::string words;
  for (const Argument& argument : arguments.all()) {
    if (argument.positional()) continue;
    for (const std::string& flag : split(argument.flags, ',')) words += (words.empty() ? "" : " ") + flag;
  }
  return words;
}

std::string verb_names() {
  std::string names;
  for (const Verb& verb : verbs()) names += verb.name + " ";
  return names + "help completion man version";
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string bash_completion() {
  std::string script =
      "_expose() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} options=\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W '" +
      verb_names() + "' -- \"$word\")); return; fi\n  case $verb in\n";
  for (const Verb& verb : verbs()) {
    const Declared declared = declare(verb);
    script += "    " + verb.name + ")\n      options='" + words_of(declared.arguments) + "'\n      case $before in\n";
    for (const Argument& argument : declared.arguments.all()) {
      if (argument.value == "MODEL" && !argument.positional()) {
        script += "        " + joined(split(argument.flags, ','), "|") +
                  ") local IFS=$'\\n'; COMPREPLY=($(compgen -f -X '!*.expose' -- \"$word\") "
                  "$(compgen -d -- \"$word\")); return ;;\n";
      }
      if (argument.choices.empty()) continue;
      script += "        " + joined(split(argument.flags, ','), "|") + ") COMPREPLY=($(compgen -W '" +
                joined(argument.choices, " ") + "' -- \"$word\")); return ;;\n";
    }
    script += "      esac ;;\n";
  }
  return script + "    help) COMPREPLY=($(compgen -W '" + verb_names() +
         "' -- \"$word\")); return ;;\n"
         "    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$word\")); return ;;\n"
         "  esac\n"
         "  case $word in -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "    *) local IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$word\")) ;; esac\n"
         "}\n"
         "complete -o filenames -F _expose expose\n";
}

// zsh runs the completion of bash.
std::string zsh_completion() {
  return "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n" + bash_completion();
}

std::string quoted_for_fish(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "'";
}

std::string fish_completion() {
  std::string script = "complete -c expose -n __fish_use_subcommand -f\n";
  for (const Verb& verb : verbs()) {
    script +=
        "complete -c expose -n __fish_use_subcommand -a " + verb.name + " -d " + quoted_for_fish(verb.summary) + "\n";
    const Declared declared = declare(verb);
    for (const Argument& argument : declared.arguments.all()) {
      if (argument.positional()) continue;
      script += "complete -c expose -n '__fish_seen_subcommand_from " + verb.name + "'";
      for (const std::string& flag : split(argument.flags, ',')) {
        script += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
      }
      if (!argument.value.empty()) script += " -r";
      if (!argument.choices.empty()) script += " -f -a '" + joined(argument.choices, " ") + "'";
      script += " -d " + quoted_for_fish(argument.help) + "\n";
    }
  }
  return script;
}

}  // namespace

std::string man_page() {
  std::string page = std::string(".TH EXPOSE 1 \"\" \"EXPoSE ") + version() +
                     "\" \"User Commands\"\n.SH NAME\nexpose \\- finds the rows that are unlike the rest\n"
                     ".SH SYNOPSIS\n.B expose\nVERB [options] [FILES]\n.SH DESCRIPTION\n"
                     "Learns what is normal as one vector, the mean of a kernel feature map, and judges rows by their "
                     "similarity to it.\nFILES are csv, tsv, ndjson (jsonl), npy or parquet, the text ones also as .gz "
                     "or .zst; \\- or nothing is standard input.\nSeveral files are read as one table.\n"
                     "Results go to standard output or \\-o, messages and progress to standard error.\n.SH VERBS\n";
  for (const Verb& verb : verbs()) page += roff(declare(verb));
  return page +
         ".SH EXIT STATUS\n.TP\n.B 0\ndone\n.TP\n.B 1\nthe input or the model is bad; a sentence on standard error "
         "says "
         "what, where, and what to do\n.TP\n.B 2\nthe command line is wrong\n.TP\n.B 3\ndone, but bad rows were "
         "skipped "
         "and \\-\\-strict was given\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours, if it is set to anything\n.TP\n"
         ".B TMPDIR\nwhere what comes through a pipe and is read twice is kept\n";
}

std::string completion(const std::string& shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  throw CommandError("there is completion for bash, zsh and fish, not for '" + shell + "'");
}

}  // namespace expose::cli
