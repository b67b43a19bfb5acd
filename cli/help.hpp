// What a person reads before typing: overview, help of a verb, man page, shell completion. All from the declarations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/verbs.hpp"

namespace expose::cli {

// What every verb takes.
struct General {
  bool help = false;
  bool quiet = false;
  bool plain = false;
};

// A verb with its arguments, those that all verbs have included.
struct Declared {
  const Verb* verb;
  Arguments arguments;
  Job job;
  std::shared_ptr<General> general;
};
Declared declare(const Verb& verb);

// What `expose` alone says: what to type, in ten lines.
std::string overview(const Console& console);
// All verbs.
std::string help(const Console& console);
// One of them, examples first.
std::string help(const Declared& declared, const Console& console);
// roff, for man(1).
std::string man_page();
// shell: bash, zsh or fish. Throws Code::invalid_argument for another.
std::string completion(const std::string& shell);

}  // namespace expose::cli
