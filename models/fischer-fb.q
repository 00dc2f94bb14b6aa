// The queries of `beeline generate fischer --variant fb --n 5 --k 10`.

/*
the first two processes are not in their critical sections at once: violated, shortest trace 6 steps
*/
A[] not (P(1).cs and P(2).cs)
