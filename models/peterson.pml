/* Peterson's algorithm for N processes: N - 1 rooms, in each of which the last to come waits. */
#ifndef N
#define N 2
#endif
byte room[N], last[N], inside

active [N] proctype user() {
  byte here, other;
  do
  :: here = 1;
     do
     :: here < N ->
        room[_pid] = here;
        last[here] = _pid;
        other = 0;
        do
        :: other < N ->
           (other == _pid || room[other] < here || last[here] != _pid);
           other++
        :: else -> break
        od;
        here++
     :: else -> break
     od;
     inside++;
     assert(inside == 1);
     inside--;
     room[_pid] = 0
  od
}
