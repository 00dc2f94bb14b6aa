/* Philosophers at a round table; the last one takes the forks in the other order, so that no deadlock is possible. */
#ifndef N
#define N 3
#endif
bit fork[N]

active [N] proctype philosopher() {
  byte first = (_pid == N - 1 -> 0 : _pid), second = (_pid == N - 1 -> N - 1 : _pid + 1);
  do
  :: atomic { fork[first] == 0 -> fork[first] = 1 };
     atomic { fork[second] == 0 -> fork[second] = 1 };
     atomic { fork[second] = 0; fork[first] = 0 }
  od
}
