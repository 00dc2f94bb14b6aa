// The queries of `beeline generate fischer --variant fa --n 5 --k 10`.

/*
no two processes are seen in their critical sections: violated, shortest trace 8 steps
*/
A[] not Observer.error
