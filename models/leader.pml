/* Leader election in a ring with one direction, after Dolev, Klawe and Rodeh: who has the greatest number wins. */
#ifndef N
#define N 3
#endif
#define L (2 * N)
mtype = { one, two, winner }
chan ring[N] = [L] of { mtype, byte }
byte leaders

proctype node(chan in, out; byte mine) {
  byte number, left, most = mine;
  bool alive = true, known = false;
  out!one(mine);
end:
  do
  :: in?one(number) ->
     if
     :: alive && number != most -> out!two(number); left = number
     :: alive && number == most -> assert(number == N); known = true; out!winner(number)
     :: else -> out!one(number)
     fi
  :: in?two(number) ->
     if
     :: alive && left > number && left > most -> most = left; out!one(left)
     :: alive && !(left > number && left > most) -> alive = false
     :: else -> out!two(number)
     fi
  :: in?winner(number) ->
     if
     :: known -> leaders++; assert(leaders == 1)
     :: else -> out!winner(number)
     fi;
     break
  od
}

init {
  byte i = 0;
  atomic {
    do
    :: i < N -> run node(ring[i], ring[(i + 1) % N], ((N + 1) - i) % N + 1); i++
    :: else -> break
    od
  }
}
