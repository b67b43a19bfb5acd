#include "cli/report/page.hpp"

#include "cli/report/html.hpp"
#include "cli/report/sections.hpp"
#include "cli/report/style.hpp"

namespace expose::cli {

namespace {

struct Section {
  const char* id;
  const char* name;
  std::string html;
};

std::string title_of(const ReportData& data) {
  return data.files.empty() ? "EXPoSE report" : shortened(data.files.front(), 60) + " – EXPoSE report";
}

}  // namespace

std::string report_page(const ReportData& data) {
  const Section sections[] = {{"similarities", "Similarities", similarity_section(data)},
                              {"rows", "Rows", rows_section(data)},
                              {"picture", "Picture", picture_section(data)},
                              {"time", "Time", time_section(data)},
                              {"drift", "Drift", drift_section(data)},
                              {"bad", "Bad rows", bad_section(data)},
                              {"plan", "Plan", plan_section(data)},
                              {"columns", "Columns", columns_section(data)},
                              {"command", "Command", command_section(data)}};
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
      title_of(data) + "</title>\n<style>" + std::string(report_style()) + "</style>\n</head>\n<body>\n" +
      summary_section(data) + "<nav>";
  for (const Section& section : sections) {
    if (section.html.empty()) continue;
    page += "<a href=\"#" + std::string(section.id) + "\">" + section.name + "</a>";
  }
  page += "</nav>\n<main>\n";
  for (const Section& section : sections) {
    if (!section.html.empty())
      page += "<section id=\"" + std::string(section.id) + "\">" + section.html + "</section>\n";
  }
  return page + "</main>\n<footer>Made by EXPoSE " + escaped(data.version) +
         ". This page is one file: it loads nothing and runs nothing.</footer>\n</body>\n</html>\n";
}

}  // namespace expose::cli
