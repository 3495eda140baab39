//! Executions of blocks that many paths share.
//!
//! Where data decides the way through the body of a loop, each path is taken in a ragged set of iterations and folds to
//! nothing, though a block that lies on all of them runs in every one. Once the executions of a path of some loop no
//! longer fold well, the loop is *shared*: the executions of its blocks are folded block by block from then on, and so are
//! those from before, if there are few of them; else, and where words were not affine, what the paths had folded stays with
//! them.
//!
//! Invariant: the vectors of a block's executions increase, since a block runs at most once in an iteration of its
//! innermost loop; paths that contain a block twice are left as they are.

use fold::{Folded, Folder};
use rustc_hash::{FxHashMap, FxHashSet};
use shadow::Iv;

use crate::contexts::ContextId;
use crate::executions::{Executions, HandedOn};
use crate::paths::{InstanceId, Path};

/// Most paths of a loop that are split.
const MAX_PATHS: u32 = 32;

/// The executions of one block.
#[derive(Debug)]
struct Block {
    instance: InstanceId,
    /// Positions in the block's words of those of interest, ascending.
    columns: Vec<u16>,
    seen: Executions,
}

/// How the executions of a path go to its blocks.
#[derive(Debug)]
pub struct Split {
    /// Per block of the path: its number here and the first of its words.
    blocks: Vec<(u32, u16)>,
    /// Per column of the path: block and column in it.
    columns: Vec<(u32, u16)>,
}

impl Split {
    /// The numbers of the blocks.
    pub fn blocks(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|(number, _)| *number)
    }
}

/// A vector and a word.
type Labelled<'a> = (&'a [i64], i64);

/// All shared loops and the executions of their blocks.
#[derive(Debug, Default)]
pub struct Shared {
    /// With the number of paths that are split.
    loops: FxHashMap<ContextId, u32>,
    blocks: Vec<Block>,
    index: FxHashMap<InstanceId, u32>,
}

impl Shared {
    /// Whether a loop is shared.
    #[inline]
    pub fn contains(&self, innermost: ContextId) -> bool {
        !self.loops.is_empty() && self.loops.contains_key(&innermost)
    }

    /// Makes a loop shared.
    pub fn add(&mut self, innermost: ContextId) {
        self.loops.entry(innermost).or_insert(0);
    }

    /// How a path of a shared loop is split; `None` if it contains a block twice, or if the loop has too many paths: then
    /// it is an interpreter or the like, of whose blocks hardly one runs in every iteration.
    ///
    /// `new` makes the executions of a block with these columns.
    pub fn split(&mut self, path: &Path, new: &dyn Fn(InstanceId, &[u16]) -> Executions) -> Option<Split> {
        let paths = self.loops.get_mut(&path.innermost?).filter(|paths| **paths < MAX_PATHS)?;
        *paths += 1;
        let mut unique = FxHashSet::default();
        if !path.steps.iter().all(|step| unique.insert(*step)) {
            return None;
        }
        let mut split = Split { blocks: Vec::new(), columns: Vec::new() };
        for (k, (&instance, &first)) in path.steps.iter().zip(&path.headers).enumerate() {
            let end = path.headers.get(k + 1).copied().unwrap_or(u16::MAX);
            let inside = path.columns.iter().filter(|c| (first..end).contains(*c));
            let columns: Vec<u16> = inside.map(|c| c - first).collect();
            let next = self.blocks.len() as u32;
            let number = *self.index.entry(instance).or_insert(next);
            if number == next {
                let seen = new(instance, &columns);
                self.blocks.push(Block { instance, columns, seen });
            } else if self.blocks[number as usize].columns != columns {
                return None;
            }
            let count = self.blocks[number as usize].columns.len() as u16;
            split.columns.extend((0..count).map(|column| (number, column)));
            split.blocks.push((number, first));
        }
        Some(split)
    }

    /// Takes the executions of the paths of a loop that has just become shared.
    pub fn adopt(&mut self, paths: &[(&Split, HandedOn)]) {
        let mut domains: FxHashMap<u32, Vec<&[i64]>> = FxHashMap::default();
        let mut words: FxHashMap<(u32, u16), Vec<Labelled>> = FxHashMap::default();
        for (split, early) in paths {
            for (number, _) in &split.blocks {
                domains.entry(*number).or_default().extend(early.vectors.iter().map(Vec::as_slice));
            }
            for (at, labels) in split.columns.iter().zip(&early.columns) {
                let labels = labels.iter().flatten().copied();
                words.entry(*at).or_default().extend(early.vectors.iter().map(Vec::as_slice).zip(labels));
            }
        }
        for (number, mut vectors) in domains {
            vectors.sort_unstable();
            let folders = self.blocks[number as usize].seen.folders();
            vectors.iter().for_each(|x| folders.domain.point(x, &[]));
        }
        for ((number, column), mut points) in words {
            points.sort_unstable();
            let folders = self.blocks[number as usize].seen.folders();
            let folder = &mut folders.words[usize::from(column)];
            points.iter().for_each(|(x, label)| folder.point(x, &[*label]));
        }
    }

    /// Whether something holds for the executions of all blocks of a path.
    pub fn all_of(&mut self, split: &Split, mut holds: impl FnMut(&mut Executions) -> bool) -> bool {
        split.blocks().all(|number| holds(self.executions(number)))
    }

    /// The executions of a block.
    pub fn executions(&mut self, number: u32) -> &mut Executions {
        &mut self.blocks[number as usize].seen
    }

    /// One execution of a path.
    pub fn one(&mut self, split: &Split, iv: &Iv, words: &[u64]) {
        for &(number, first) in &split.blocks {
            let block = &mut self.blocks[number as usize];
            block.seen.one(iv, &block.columns, &words[usize::from(first)..]);
        }
    }

    /// `count` executions of a path in consecutive iterations, without their words.
    pub fn domains(&mut self, split: &Split, iv: &[i64], count: u64) {
        for &(number, _) in &split.blocks {
            self.blocks[number as usize].seen.folders().domain.run(iv, count, &[], &[]);
        }
    }

    /// The folder of a column of a path.
    pub fn words(&mut self, split: &Split, column: usize) -> &mut Folder {
        let (number, column) = split.columns[column];
        &mut self.blocks[number as usize].seen.folders().words[usize::from(column)]
    }

    /// Takes words of a column of a path of a loop that was given up.
    pub fn bound_words(&mut self, split: &Split, column: usize, range: (i64, i64)) {
        let (number, column) = split.columns[column];
        self.blocks[number as usize].seen.bound_words(usize::from(column), range);
    }

    /// About how many bytes are used.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|b| size_of::<Block>() + 2 * b.columns.len() + b.seen.bytes()).sum()
    }

    /// Bytes of the folders of all blocks: block, folder, bytes.
    pub fn folder_bytes(&self) -> impl Iterator<Item = (u32, usize, usize)> {
        let all = self.blocks.iter().enumerate();
        all.flat_map(|(id, b)| b.seen.folder_bytes().enumerate().map(move |(at, n)| (id as u32, at, n)))
    }

    /// Gives up the stream of a folder of a block; gives the block.
    pub fn abandon(&mut self, id: u32, folder: usize) -> Option<InstanceId> {
        let block = self.blocks.get_mut(id as usize)?;
        block.seen.abandon(folder);
        Some(block.instance)
    }

    /// Per block its columns, the folded domain and per column the folded words.
    pub fn finish(self) -> impl Iterator<Item = (InstanceId, Vec<u16>, Folded, Vec<Folded>)> {
        self.blocks.into_iter().map(|block| {
            let (domain, words) = block.seen.finish();
            (block.instance, block.columns, domain, words)
        })
    }
}
