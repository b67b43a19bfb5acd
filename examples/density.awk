# Two groups of rows, one twenty times as wide as the other, and a last row beside the dense one: docs/guide.md.
function u() { seed = seed * 16807 % 2147483647; return seed / 2147483647 }
function g(  k, s) { for (k = 0; k < 12; k++) s += u(); return s - 6 }
BEGIN {
  seed = 1
  print "x,y"
  for (i = 0; i < 500; i++) printf "%.3f,%.3f\n", 0.1 * g(), 0.1 * g()
  for (i = 0; i < 500; i++) printf "%.3f,%.3f\n", 10 + 2 * g(), 10 + 2 * g()
  print "1.000,1.000"
}
