//! Exit codes. With several properties the worst counts.

/// What a run ends with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Every property holds.
    Holds,
    /// Something is not supported.
    Unsupported,
    /// Something is not known: a limit or an interrupt.
    Unknown,
    /// Some property is violated; a trace or certificate is refused.
    Violated,
    /// The model fails at run time, and that is what was checked.
    RuntimeError,
    /// Wrong usage, or a malformed model.
    Usage,
    /// A bug of ours.
    Internal,
}

impl Exit {
    /// From worst to best.
    const ORDER: [Exit; 7] = [
        Exit::Internal,
        Exit::Usage,
        Exit::RuntimeError,
        Exit::Violated,
        Exit::Unknown,
        Exit::Unsupported,
        Exit::Holds,
    ];

    /// The code.
    pub fn code(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Violated => 1,
            Self::Usage => 2,
            Self::Unknown => 3,
            Self::Unsupported => 4,
            Self::RuntimeError => 5,
            Self::Internal => 70,
        }
    }
    /// The exit of that code.
    pub fn of_code(code: i32) -> Option<Exit> {
        Self::ORDER.into_iter().find(|e| i32::from(e.code()) == code)
    }
    /// The worse of two.
    #[must_use]
    pub fn or(self, other: Exit) -> Exit {
        Self::ORDER.into_iter().find(|e| *e == self || *e == other).unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_first() {
        let codes: Vec<u8> = Exit::ORDER.iter().map(|e| e.code()).collect();
        assert_eq!(codes, [70, 2, 5, 1, 3, 4, 0]);
        assert!(codes.iter().all(|code| Exit::of_code(i32::from(*code)).map(Exit::code) == Some(*code)));
        assert_eq!(Exit::of_code(6), None);
        assert_eq!(Exit::Unsupported.or(Exit::Unknown), Exit::Unknown);
        assert_eq!(Exit::Violated.or(Exit::Unknown), Exit::Violated);
        assert_eq!(Exit::Holds.or(Exit::Holds), Exit::Holds);
        assert_eq!(Exit::Violated.or(Exit::RuntimeError), Exit::RuntimeError);
    }
}
