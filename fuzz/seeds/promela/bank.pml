/* Two tellers pay in one coin each. A teller reads the balance, adds the coin, and writes the sum back; nothing keeps
   the other from doing so in between.

   Expected: assertions is violated (length 11: both read, both write, and the balance is 1); valid-end-states holds. */

#define COIN 1

byte balance
byte done

inline pay_in(coin) {
	byte seen = balance;
	seen = seen + coin;
	balance = seen
}

active [2] proctype teller() {
	pay_in(COIN);
	atomic { done++; if :: done == 2 -> assert(balance == 2 * COIN) :: else fi }
}
