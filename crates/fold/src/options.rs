//! What a folder does with streams that are not affine, and the published variants of it.

/// Interleaved lattices that one vector access read or written by scalar code leaves at most.
const PHASES: usize = 32;

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
        let published = 4 * dims + 1;
        let limit = published + PHASES;
        Options {
            widen,
            adaptive: Some(published),
            new_dimensions: true,
            alive: Some(limit),
            pieces: Some(limit),
        }
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
            alive: give_up.then_some(4 * dims + 1),
            pieces: None,
        }
    }

    /// Number of intermediate pieces beyond which something must be done.
    pub(crate) fn exact(&self) -> usize {
        let most = self.alive.unwrap_or(usize::MAX);
        if self.widen { self.adaptive.map_or(most, |exact| exact.min(most)) } else { most }
    }

    /// Whether pieces that cannot grow are kept, because they may yet fold with others.
    pub(crate) fn is_patient(&self) -> bool {
        self.new_dimensions || self.adaptive.is_some()
    }
}
