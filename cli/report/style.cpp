#include "cli/report/style.hpp"

namespace expose::cli {

// s0 .. s5: similarity, from like the rest to unlike; see kShades.
std::string_view report_style() {
  return R"css(
:root { color-scheme: light dark;
  --paper: #ffffff; --raised: #f5f7f9; --ink: #1b2330; --soft: #566070; --rule: #dde2e8; --blue: #4a7ab0;
  --flag: #c2410c; --warn: #fdf1e7; --s0: #b4cde5; --s1: #86abd2; --s2: #5f88bd; --s3: #5566a5; --s4: #4d3f86;
  --s5: #371a5e; }
@media screen and (prefers-color-scheme: dark) { :root {
  --paper: #12161c; --raised: #1b2129; --ink: #e7eaef; --soft: #a0aab8; --rule: #303844; --blue: #6c9fd8;
  --flag: #ff9457; --warn: #2e2219; --s0: #38618c; --s1: #4a7fb4; --s2: #6c9acb; --s3: #97a9df; --s4: #c9b6ea;
  --s5: #f7d9ff; } }
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans",
  "Liberation Sans", sans-serif;
  max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; overflow-wrap: anywhere; }
header .brand { color: var(--soft); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase;
  margin: 0 0 .35rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .9rem; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 .3rem; font-weight: 650; }
p { margin: 0 0 .8rem; max-width: 48rem; text-wrap: pretty; }
.lead { font-size: 1.15rem; line-height: 1.5; }
.lead b, .tiles dd.flag { color: var(--flag); }
.soft { color: var(--soft); }
section { margin-top: 3rem; }
a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: .18em; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin-top: 1.5rem; padding-top: .8rem;
  border-top: 1px solid var(--rule); font-size: .875rem; }
nav a { color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem;
  margin: 1.4rem 0 0; }
.tiles div { background: var(--raised); border-radius: .5rem; padding: .7rem .9rem .75rem; }
.tiles dt { color: var(--soft); font-size: .8125rem; }
.tiles dd { margin: 0; font-size: 1.5rem; line-height: 1.25; font-weight: 600; font-variant-numeric: tabular-nums; }
.tiles dd small { font-size: .8125rem; font-weight: 400; color: var(--soft); margin-left: .3rem; }
.warning { background: var(--warn); border-left: .25rem solid var(--flag); border-radius: .25rem;
  padding: .6rem .9rem; max-width: none; }
figure { margin: .9rem 0 0; }
figure > svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font-size: 13px; fill: var(--soft); font-variant-numeric: tabular-nums; }
svg .note { fill: var(--ink); }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--rule); stroke-width: 1; } .base { stroke: var(--soft); stroke-width: 1; }
.limit { stroke: var(--ink); stroke-width: 1.25; stroke-dasharray: 5 4; }
.bar { fill: var(--blue); } .bar.flag { fill: var(--flag); }
.stems { stroke: var(--blue); stroke-width: 1.5; fill: none; }
.hit { fill: var(--flag); stroke: var(--paper); stroke-width: 1; }
.ground { fill: var(--raised); }
circle[class^="s"] { fill-opacity: .85; }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); } .s3 { fill: var(--s3); }
.s4 { fill: var(--s4); } .s5 { fill: var(--s5); }
.ring { stroke: var(--flag); stroke-width: 1.75; }
circle:target { stroke: var(--ink); stroke-width: 5; r: 9px; }
.legend { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .75rem; margin-top: .5rem;
  font-size: .875rem; color: var(--soft); }
.shades { width: 6.75rem; height: .875rem; } .shades rect { fill-opacity: .85; }
.key { display: inline-flex; align-items: center; gap: .4rem; margin-right: .5rem; }
.key i { display: inline-block; width: .75rem; height: .75rem; }
.box { background: var(--blue); } .box.flag { background: var(--flag); }
.dot { background: var(--flag); border-radius: 50%; }
.ringed { border: 2px solid var(--flag); border-radius: 50%; }
table { border-collapse: collapse; width: 100%; margin-top: .9rem; font-size: .9375rem; }
th { text-align: left; font-weight: 500; font-size: .8125rem; color: var(--soft); padding: .3rem .9rem .3rem 0;
  border-bottom: 1px solid var(--soft); vertical-align: bottom; white-space: nowrap; }
td { padding: .55rem .9rem .55rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
.number, td.text { width: 1%; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap;
  overflow-wrap: normal; }
.mark { width: 1.1rem; padding-right: .4rem; } .mark i { display: inline-block; width: .6rem; height: .6rem;
  border-radius: 50%; background: var(--flag); }
td.text { max-width: 11rem; min-width: 4rem; }
.why, th.why { min-width: 19rem; padding-left: .6rem; }
.share { display: grid; grid-template-columns: minmax(0, 15rem) minmax(3rem, 1fr) 3rem; gap: .7rem;
  align-items: center; }
.share + .share { margin-top: .15rem; }
.share .what { font-size: .875rem; line-height: 1.35; }
.share .part { text-align: right; color: var(--soft); font-size: .875rem; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.track { background: var(--raised); height: .6rem; border-radius: .3rem; overflow: hidden; }
.fill { display: block; height: 100%; background: var(--blue); border-radius: .3rem; min-width: 2px; }
.wide .share { grid-template-columns: minmax(0, 16rem) minmax(3rem, 1fr) 3rem; max-width: 44rem; }
tr:target td { background: var(--raised); }
ul { margin: .6rem 0 0; padding-left: 1.2rem; } li { margin: .15rem 0; }
details { margin-top: .9rem; } summary { cursor: pointer; color: var(--soft); }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.5rem; margin: .9rem 0 0;
  font-size: .9375rem; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; }
pre { background: var(--raised); border-radius: .5rem; padding: .75rem .9rem; margin: .9rem 0 0;
  white-space: pre-wrap;
  font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--rule); color: var(--soft);
  font-size: .875rem; }
@media (max-width: 44rem) {
  body { padding: 1.5rem 1rem 3rem; } h1 { font-size: 1.5rem; } section { margin-top: 2.25rem; }
  svg text { font-size: 20px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .rows thead { display: none; } .rows tr { display: flex; flex-wrap: wrap; gap: .1rem 1rem; padding: .6rem 0;
    border-bottom: 1px solid var(--rule); }
  .rows td { display: block; border: 0; padding: 0; width: auto; min-width: 0; max-width: none; }
  .rows td.why { width: 100%; min-width: 0; margin-top: .3rem; }
  .rows td.mark:empty { display: none; } .rows .mark { width: auto; padding: 0; }
  .rows td[data-name]::before { content: attr(data-name) " "; color: var(--soft); font-size: .8125rem; }
  .share, .wide .share { grid-template-columns: minmax(0, 10.5rem) minmax(2rem, 1fr) 2.8rem; gap: .5rem; }
}
@media print {
  :root { color-scheme: light; } nav { display: none; } body { max-width: none; padding: 0; font-size: 11pt; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  figure, tr, .tiles { break-inside: avoid; } h2, h2 + p { break-after: avoid; } section { margin-top: 2rem; }
}
)css";
}

}  // namespace expose::cli
