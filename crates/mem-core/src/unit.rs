use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A number in the closed interval `[0, 1]`: a confidence, an importance, a rate.
///
/// ```
/// use mem_core::Unit;
/// assert_eq!(Unit::saturating(1.7), Unit::ONE);
/// assert!(Unit::new(f64::NAN).is_err());
/// assert_eq!(Unit::new(0.5)?.get(), 0.5);
/// # Ok::<(), mem_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Unit(f64);

impl Unit {
    /// Nothing.
    pub const ZERO: Self = Self(0.0);
    /// One half: what is known of something seen once.
    pub const HALF: Self = Self(0.5);
    /// Everything.
    pub const ONE: Self = Self(1.0);

    /// Takes a number that must already lie in `[0, 1]`.
    ///
    /// # Errors
    /// [`Error::Invalid`] when it does not, or is not a number.
    pub fn new(value: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(Error::invalid("a number between 0 and 1", value.to_string()))
        }
    }

    /// Clamps into `[0, 1]`; what is not a number becomes 0.
    pub fn saturating(value: f64) -> Self {
        if value.is_nan() { Self::ZERO } else { Self(value.clamp(0.0, 1.0)) }
    }

    /// The number itself.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Unit {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self> {
        Self::new(value)
    }
}

impl From<Unit> for f64 {
    fn from(unit: Unit) -> Self {
        unit.0
    }
}
