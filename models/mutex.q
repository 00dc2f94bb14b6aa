// The queries of `beeline generate mutex --variant m --size 1`.

/*
at most one station is inside: violated, shortest trace 47 steps
*/
A[] not (Station1.Inside and Station2.Inside)
