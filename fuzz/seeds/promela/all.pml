#define f(a) a++
typedef R { byte u; byte w[2] }
mtype = { m, n }; mtype : s = { o };
R r[2]; unsigned q : 3 = 2; chan c = [2] of { mtype, R }; chan z[2] = [0] of { byte, chan };
inline g(p) { p = 1; skip }
proctype P(chan d; byte k) provided (q < 5) { byte x = k; d??m(x); { x = 1 } unless { x == 2 -> goto L }; L: f(x) }
active [2] proctype Q() { byte i; for (i : 0 .. 1) { r[i].w[1] = i } select (i : 1 .. 3); c!!m(r[0]); z[0]?i,_;
  atomic { if :: c?[m, 1] -> g(i) :: timeout :: else fi }; d_step { do :: i < 3 -> i++ :: else -> break od }; assert(i != 4) }
init { run P(z[1], 2); end: do :: c?<m, r[1]> :: break od }
never { do :: q == 7 -> break :: else od }
ltl p { [] (P[3]@L -> P[2]:x == 1) }
