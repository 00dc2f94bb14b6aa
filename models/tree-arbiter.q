// The queries of `beeline generate tree-arbiter --n 3 --faulty --format xta`.

/*
at most one user has an acknowledgement: violated, shortest trace 20 steps
*/
A[] forall (i : user_t) forall (j : user_t) has(CELLS + i) && has(CELLS + j) imply i == j
