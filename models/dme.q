// The queries of `beeline generate dme --n 2 --faulty --format xta`.

/*
at most one user has an acknowledgement: violated, shortest trace 30 steps
*/
A[] forall (i : cell_t) forall (j : cell_t) own_ack[i] && own_ack[j] imply i == j
