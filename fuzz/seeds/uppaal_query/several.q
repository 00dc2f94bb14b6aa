/* first */
E<> forall (i : id_t) P(i).a and x - y >= -2
A[] not deadlock imply \
 (b ? c : d)
A<> p
p --> q
sup{p}: x
A[ p U q ]
