/* A message is handed from runner to runner. Each runner starts the next, gives it a channel of its own, and ends when
   the message has come back from there. How many runners there are is decided as they go.

   Expected: assertions holds; valid-end-states holds. */

#define LAPS 4

mtype = { baton, back }

proctype runner(chan from; byte lap) {
	chan next = [0] of { mtype, byte };
	byte seen;

	from?baton(seen);
	assert(seen == lap);
	if
	:: seen < LAPS ->
		run runner(next, lap + 1);
		next!baton(lap + 1);
		next?back(seen)
	:: true
	fi;
	from!back(seen)
}

init {
	chan first = [0] of { mtype, byte };
	byte laps;

	run runner(first, 1);
	first!baton(1);
	first?back(laps);
	assert(laps >= 1 && laps <= LAPS)
}
