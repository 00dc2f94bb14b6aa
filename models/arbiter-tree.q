// The queries of `beeline generate arbiter-tree --n 2 --faulty`.

/*
clients of different halves do not have the resource at the same time: violated, shortest trace 12 steps
*/
A[] not (Client(1).work and Client(HALF).work)
