//! A list whose elements keep their memory when it is emptied, so that filling it again allocates nothing.

use std::ops::{Deref, DerefMut};

/// The list; it reads as a slice of what is in use.
#[derive(Clone, Debug)]
pub struct Pool<T> {
    items: Vec<T>,
    used: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self { items: Vec::new(), used: 0 }
    }
}

impl<T: Default> Pool<T> {
    /// Takes one more element into use, in whatever state it was left.
    #[inline]
    pub fn add(&mut self) -> &mut T {
        if self.used == self.items.len() {
            self.items.push(T::default());
        }
        self.used += 1;
        &mut self.items[self.used - 1]
    }
    /// Gives back the element added last.
    pub fn give_back(&mut self) {
        self.used = self.used.saturating_sub(1);
    }
    /// Gives back what is not to be kept; the rest stays in order.
    pub fn retain(&mut self, keep: impl Fn(&T) -> bool) {
        let mut kept = 0;
        for at in 0..self.used {
            if keep(&self.items[at]) {
                self.items.swap(kept, at);
                kept += 1;
            }
        }
        self.used = kept;
    }
    /// A copy of what is in use, without room for more.
    pub fn trimmed(&self) -> Self
    where
        T: Clone,
    {
        Self { items: self.items[..self.used].to_vec(), used: self.used }
    }
    /// Empties the list.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}

impl<T> Deref for Pool<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..self.used]
    }
}

impl<T> DerefMut for Pool<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..self.used]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_their_memory() {
        let mut pool: Pool<Vec<u32>> = Pool::default();
        pool.add().extend([1, 2, 3]);
        pool.add().push(4);
        pool.give_back();
        assert_eq!(*pool, [vec![1, 2, 3]]);
        pool.add().clone_from(&vec![5]);
        pool.add().clone_from(&vec![6, 7]);
        pool.retain(|item| item.len() > 1);
        assert_eq!(*pool, [vec![1, 2, 3], vec![6, 7]]);
        pool.give_back();
        pool.clear();
        assert!(pool.is_empty());
        assert!(pool.add().capacity() >= 3);
    }
}
