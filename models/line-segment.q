// The queries of `beeline generate line-segment --variant c --size 1`.

/*
trams are let in from one side at a time: violated, shortest trace 54 steps
*/
A[] not (Signal1.Passing and Signal2.Passing)
