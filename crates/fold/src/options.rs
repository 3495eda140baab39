//! What a folder does with streams that are not affine, and the published variants of it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Interleaved lattices that one vector access read or written by scalar code leaves at most.
const PHASES: usize = 32;

/// When a stream that is not affine is given up: its points are then known by their smallest and largest coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum GiveUp {
    /// Beyond the published `4d+1` intermediate pieces of a d-dimensional stream, and as many more as vector code needs
    /// for its phases.
    #[default]
    Published,
    /// Beyond so many.
    Beyond(usize),
    /// Never: the publication's variants without geometric give-up.
    Never,
}

impl GiveUp {
    /// Most intermediate pieces of a stream of `dims` dimensions; `None` for no limit.
    pub fn limit(self, dims: usize) -> Option<usize> {
        match self {
            GiveUp::Published => Some(published_limit(dims) + PHASES),
            GiveUp::Beyond(limit) => Some(limit),
            GiveUp::Never => None,
        }
    }
}

impl fmt::Display for GiveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GiveUp::Published => f.write_str("4d+1"),
            GiveUp::Beyond(limit) => write!(f, "{limit}"),
            GiveUp::Never => f.write_str("never"),
        }
    }
}

/// A text that is no [`GiveUp`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a number of pieces, at least 1, `4d+1`, or `never`")]
pub struct NotALimit;

impl FromStr for GiveUp {
    type Err = NotALimit;

    fn from_str(text: &str) -> Result<GiveUp, NotALimit> {
        match text {
            "4d+1" => Ok(GiveUp::Published),
            "never" => Ok(GiveUp::Never),
            number => {
                let limit = number.parse().ok().filter(|limit| *limit > 0);
                limit.map(GiveUp::Beyond).ok_or(NotALimit)
            }
        }
    }
}

/// The published limit on intermediate pieces of a d-dimensional stream.
fn published_limit(dims: usize) -> usize {
    4 * dims + 1
}

/// What to do with streams that are not affine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Replace label coefficients by ⊤ where that lets points fold together.
    pub widen: bool,
    /// Stay exact up to so many intermediate pieces; beyond, widen the coefficient that costs the fewest affine points for
    /// the pieces it saves, and where that does not do give up one prefix at a time. `None`: widening is immediate, and
    /// all is given up at once.
    pub adaptive: Option<usize>,
    /// Look for dimensions that the program does not have (`q / W`, `q % W`).
    pub new_dimensions: bool,
    /// Most intermediate pieces (those that may still grow) before giving up; `None` for no limit.
    pub alive: Option<usize>,
    /// Most finished pieces before giving up; `None` for no limit.
    pub pieces: Option<usize>,
}

impl Options {
    /// What the engine uses: exact up to the published limit of `4d+1` pieces for a d-dimensional stream, given up where
    /// there are as many more as vector code needs for its phases; new dimensions.
    pub fn for_dimensions(dims: usize, widen: bool) -> Options {
        Options::giving_up(dims, widen, GiveUp::Published)
    }

    /// The same with another limit beyond which streams are given up.
    pub fn giving_up(dims: usize, widen: bool, give_up: GiveUp) -> Options {
        let limit = give_up.limit(dims);
        Options {
            widen,
            adaptive: Some(limit.map_or(published_limit(dims), |limit| limit.min(published_limit(dims)))),
            new_dimensions: true,
            alive: limit,
            pieces: limit,
        }
    }

    /// The same, widening no earlier than where the stream would be given up by default: for streams that are widened on
    /// demand, of which vector code makes many exact pieces.
    pub fn widening_late(dims: usize, widen: bool, give_up: GiveUp) -> Options {
        let engine = published_limit(dims) + PHASES;
        let limit = give_up.limit(dims).map_or(engine, |limit| limit.min(engine));
        Options { adaptive: Some(limit), ..Options::giving_up(dims, widen, give_up) }
    }

    /// Never give up: exact, or widened at once where that is wanted.
    pub fn unlimited(widen: bool) -> Options {
        Options { widen, adaptive: None, new_dimensions: true, alive: None, pieces: None }
    }

    /// The published variants F (instructions widened, dependences not), F_W (both widened), F_GG and F_GG,W (the same
    /// with geometric give-up beyond `4d+1` intermediate pieces): widening is immediate, finished pieces are not limited.
    pub fn published(dims: usize, widen: bool, give_up: bool) -> Options {
        Options {
            widen,
            adaptive: None,
            new_dimensions: false,
            alive: give_up.then(|| published_limit(dims)),
            pieces: None,
        }
    }

    /// Number of intermediate pieces beyond which something must be done: pieces that cannot grow any more are put
    /// together or emitted, even where nothing is ever given up.
    pub(crate) fn exact(&self) -> usize {
        let most = self.alive.unwrap_or(usize::MAX);
        match self.adaptive {
            Some(exact) if self.widen || self.alive.is_none() => exact.min(most),
            _ => most,
        }
    }

    /// Whether pieces that cannot grow are kept, because they may yet fold with others.
    pub(crate) fn is_patient(&self) -> bool {
        self.new_dimensions || self.adaptive.is_some()
    }
}
