//! Panics as values: caught, and named by their message and place instead of being printed.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// Where the last panic of this thread happened.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs something; a panic becomes its message and place. From the first call on, panics of the whole program are
/// noted and no longer printed while something runs here.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    thread_local! {
        static CATCHING: RefCell<bool> = const { RefCell::new(false) };
    }
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            PLACE.with(|p| *p.borrow_mut() = place);
            if !CATCHING.with(|c| *c.borrow()) {
                usual(info);
            }
        }));
    });
    CATCHING.with(|c| *c.borrow_mut() = true);
    let result = catch_unwind(AssertUnwindSafe(run));
    CATCHING.with(|c| *c.borrow_mut() = false);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|s| (*s).to_string());
        let text =
            text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panic".to_string());
        format!("{text} at {}", PLACE.with(|p| p.borrow().clone()))
    })
}

#[cfg(test)]
mod tests {
    use super::caught;

    #[test]
    fn a_panic_is_named_by_message_and_place() {
        assert_eq!(caught(|| 3), Ok(3));
        let message = caught(|| panic!("no {}", 4)).unwrap_err();
        assert!(message.starts_with("no 4 at ") && message.contains("panics.rs"), "{message}");
    }
}
