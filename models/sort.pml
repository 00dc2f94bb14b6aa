/* Numbers flow down a pipe; each stage keeps the least that it has seen and passes on the rest. */
#ifndef N
#define N 3
#endif
chan pipe[N] = [N] of { byte }

proctype stage(chan in, out; byte after) {
  byte kept, next, seen = 0;
  in?kept;
  do
  :: seen < after -> in?next; seen++;
     if
     :: next >= kept -> out!next
     :: else -> out!kept; kept = next
     fi
  :: else -> break
  od
}

init {
  byte i = 0;
  atomic {
    do
    :: i < N -> run stage(pipe[i], pipe[(i + 1) % N], N - 1 - i); i++
    :: else -> break
    od
  };
  i = 0;
  do
  :: i < N -> pipe[0]!((i * 5) % N); i++
  :: else -> break
  od
}
