//! Schedules.
//!
//! A problem is given in isl's notation: the instances of statements, the dependences that a schedule must respect
//! (validity), and the pairs that should be near one another (proximity). Coincidence always equals validity: without it isl
//! calls every loop parallel.

use std::ffi::{c_int, c_long};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::context::{Context, Error, Inner, Object, text_at};
use crate::library::Pointer;

/// `isl_dim_param`, `isl_dim_in`, `isl_dim_div`.
const PARAMETER: c_int = 1;
const INPUT: c_int = 2;
const DIVISION: c_int = 4;

/// Which scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// Pluto-like: bands of permutable loops.
    Bands,
    /// Feautrier's: fewer and cheaper problems, bands of one loop; nothing is known about tiling.
    Feautrier,
}

/// How much is fused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fusion {
    /// Components are joined while that keeps parallelism and permutability.
    Smart,
    /// A whole component is scheduled as one if that is possible at all.
    Maximal,
    /// Nothing: statements that do not depend on one another in a circle have loops of their own.
    Apart,
}

/// What is to be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What is known of the parameters, a set; empty if nothing.
    pub context: String,
    /// Instances of statements, a union set.
    pub domain: String,
    /// Dependences, a union map from source to sink.
    pub validity: String,
    /// Pairs that should be near one another, a union map; empty for none.
    pub proximity: String,
    /// Further dependences, in terms of the observed sizes; none for most problems.
    pub observed: Option<Observed>,
    /// Other coordinates, in which the schedule is to be found: a union map from the instances of the domain; empty for
    /// none.
    pub renaming: String,
    /// The scheduler.
    pub algorithm: Algorithm,
    /// Fusion.
    pub fusion: Fusion,
}

/// Dependences that take the observed sizes to be told apart, such as accesses to overlapping bytes of rows that lie one
/// after the other. What they are in the observed domain holds in a domain with parameters too, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// The observed instances, without parameters: a union set.
    pub domain: String,
    /// The dependences among them, a union map from source to sink.
    pub validity: String,
}

/// An affine function of the iterators of a statement: `(Σ coefficients·i + Σ parameters·p + constant)`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Affine {
    /// Per iterator.
    pub coefficients: Vec<i64>,
    /// Parameters that occur.
    pub parameters: Vec<(String, i64)>,
    /// The constant.
    pub constant: i64,
}

/// What a loop of a band counts, for one statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// The statement.
    pub statement: String,
    /// The function, if it is one integral affine expression.
    pub affine: Option<Affine>,
    /// In isl's notation.
    pub text: String,
}

/// A loop of a band.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its iterations may run in parallel, given those of the loops around the band.
    pub is_parallel: bool,
    /// By statement, in order of their names.
    pub functions: Vec<Function>,
}

/// A schedule tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tree {
    /// Nothing further is ordered.
    Leaf,
    /// Nested loops.
    Band {
        /// The loops, outermost first.
        members: Vec<Member>,
        /// They may be permuted, so tiled.
        is_permutable: bool,
        /// Inside.
        inside: Box<Tree>,
    },
    /// Parts one after the other: the statements of each, and how they go on.
    Sequence(Vec<(Vec<String>, Tree)>),
    /// Parts in any order.
    Unordered(Vec<(Vec<String>, Tree)>),
}

/// A schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The tree.
    pub tree: Tree,
    /// Whether isl found every dependence of the problem respected, after scheduling.
    pub is_legal: bool,
}

impl Context {
    /// Schedules a problem. There is no limit: see [`crate::worker`].
    ///
    /// # Errors
    /// A text of the problem is not in isl's notation, or isl gave up.
    pub fn schedule(&self, problem: &Problem) -> Result<Schedule, Error> {
        let (inner, library) = (&self.0, &self.0.library);
        let map = |text: &str| {
            let text = if text.is_empty() { "{ }" } else { text };
            Object::read(inner, text, library.union_map_read_from_str, library.union_map_free)
        };
        let set =
            |text: &str| Object::read(inner, text, library.union_set_read_from_str, library.union_set_free);
        let domain = set(&problem.domain)?;
        let mut validity = map(&problem.validity)?;
        if let Some(observed) = &problem.observed {
            let known = simplified(inner, map(&observed.validity)?, &set(&observed.domain)?)?;
            // SAFETY: both are union maps, given up.
            let all = unsafe { (library.union_map_union)(validity.take(), known.take()) };
            validity = Object::new(inner, all, library.union_map_free)?;
        }
        validity = restricted(inner, validity, &domain)?;
        let mut proximity = restricted(inner, map(&problem.proximity)?, &domain)?;
        let mut domain = domain;
        if !problem.renaming.is_empty() {
            let renaming = || map(&problem.renaming);
            // SAFETY: objects of the types asked for; every `take` argument is given up.
            domain = unsafe {
                let renamed = (library.union_set_apply)(domain.take(), renaming()?.take());
                Object::new(inner, renamed, library.union_set_free)?
            };
            validity = renamed(inner, validity, renaming()?, renaming()?)?;
            proximity = renamed(inner, proximity, renaming()?, renaming()?)?;
        }
        let kept = copy(inner, &validity, library.union_map_copy, library.union_map_free)?;
        let coincidence = copy(inner, &validity, library.union_map_copy, library.union_map_free)?;
        // SAFETY: all objects are of the types asked for; every `take` argument is given up.
        let schedule = unsafe {
            let algorithm = match problem.algorithm {
                Algorithm::Bands => 0,
                Algorithm::Feautrier => 1,
            };
            (library.options_set_schedule_algorithm)(inner.raw, algorithm);
            let whole = c_int::from(problem.fusion == Fusion::Maximal);
            (library.options_set_schedule_whole_component)(inner.raw, whole);
            (library.options_set_schedule_maximize_coincidence)(inner.raw, 1 - whole);
            let apart = c_int::from(problem.fusion == Fusion::Apart);
            (library.options_set_schedule_serialize_sccs)(inner.raw, apart);
            (library.options_set_schedule_maximize_band_depth)(inner.raw, 1);
            let mut constraints = (library.schedule_constraints_on_domain)(domain.take());
            if !problem.context.is_empty() {
                let known =
                    Object::read(inner, &problem.context, library.set_read_from_str, library.set_free)?;
                constraints = (library.schedule_constraints_set_context)(constraints, known.take());
            }
            constraints = (library.schedule_constraints_set_validity)(constraints, validity.take());
            constraints = (library.schedule_constraints_set_coincidence)(constraints, coincidence.take());
            constraints = (library.schedule_constraints_set_proximity)(constraints, proximity.take());
            let schedule = (library.schedule_constraints_compute_schedule)(constraints);
            Object::new(inner, schedule, library.schedule_free)?
        };
        let is_legal = respects(inner, &schedule, kept)?;
        // SAFETY: the schedule is alive.
        let root = unsafe { (library.schedule_get_root)(schedule.keep()) };
        let root = Object::new(inner, root, library.schedule_node_free)?;
        Ok(Schedule { tree: tree(inner, &root)?, is_legal })
    }
}

/// Copies or frees an object.
type Unary = unsafe extern "C" fn(Pointer) -> Pointer;

fn copy(inner: &Rc<Inner>, object: &Object, copy: Unary, free: Unary) -> Result<Object, Error> {
    // SAFETY: the object is alive and of the type of the functions.
    Object::new(inner, unsafe { copy(object.keep()) }, free)
}

/// The pairs of which both ends are in the domain.
fn restricted(inner: &Rc<Inner>, map: Object, domain: &Object) -> Result<Object, Error> {
    let library = &inner.library;
    let domain_copy = || copy(inner, domain, library.union_set_copy, library.union_set_free);
    let (from, to) = (domain_copy()?, domain_copy()?);
    // SAFETY: objects of the types asked for; every `take` argument is given up.
    let map = unsafe {
        let map = (library.union_map_intersect_domain)(map.take(), from.take());
        (library.union_map_intersect_range)(map, to.take())
    };
    Object::new(inner, map, library.union_map_free)
}

/// The pairs in other coordinates, which are given once for each end.
fn renamed(inner: &Rc<Inner>, pairs: Object, source: Object, sink: Object) -> Result<Object, Error> {
    let library = &inner.library;
    // SAFETY: objects of the types asked for; every `take` argument is given up.
    let pairs = unsafe {
        let pairs = (library.union_map_apply_domain)(pairs.take(), source.take());
        (library.union_map_apply_range)(pairs, sink.take())
    };
    Object::new(inner, pairs, library.union_map_free)
}

/// The pairs of which both ends are in the domain, without what says that they are.
fn simplified(inner: &Rc<Inner>, map: Object, domain: &Object) -> Result<Object, Error> {
    let library = &inner.library;
    let map = restricted(inner, map, domain)?;
    let domain_copy = || copy(inner, domain, library.union_set_copy, library.union_set_free);
    let (from, to) = (domain_copy()?, domain_copy()?);
    // SAFETY: objects of the types asked for; every `take` argument is given up.
    let map = unsafe {
        let map = (library.union_map_coalesce)(map.take());
        let map = (library.union_map_gist_domain)(map, from.take());
        (library.union_map_gist_range)(map, to.take())
    };
    Object::new(inner, map, library.union_map_free)
}

/// Whether every source comes before its sink.
fn respects(inner: &Rc<Inner>, schedule: &Object, validity: Object) -> Result<bool, Error> {
    let library = &inner.library;
    // SAFETY: objects of the types asked for; every `take` argument is given up.
    let before = unsafe {
        let times = Object::new(inner, (library.schedule_get_map)(schedule.keep()), library.union_map_free)?;
        let again = copy(inner, &times, library.union_map_copy, library.union_map_free)?;
        (library.union_map_lex_lt_union_map)(times.take(), again.take())
    };
    let before = Object::new(inner, before, library.union_map_free)?;
    // SAFETY: both are alive.
    inner.truth(unsafe { (library.union_map_is_subset)(validity.keep(), before.keep()) })
}

/// Kinds of nodes, as `isl_schedule_node_type` numbers them.
const BAND: c_int = 0;
const LEAF: c_int = 6;
const SEQUENCE: c_int = 9;
const SET: c_int = 10;

fn child(inner: &Rc<Inner>, node: &Object, at: c_int) -> Result<Object, Error> {
    // SAFETY: the node is alive.
    let child = unsafe { (inner.library.schedule_node_get_child)(node.keep(), at) };
    Object::new(inner, child, inner.library.schedule_node_free)
}

fn tree(inner: &Rc<Inner>, node: &Object) -> Result<Tree, Error> {
    let library = &inner.library;
    // SAFETY: the node is alive.
    let (kind, children) = unsafe {
        ((library.schedule_node_get_type)(node.keep()), (library.schedule_node_n_children)(node.keep()))
    };
    let children = inner.size(children)?;
    match kind {
        LEAF => Ok(Tree::Leaf),
        SEQUENCE | SET => {
            let part = |at| {
                let filter = child(inner, node, at)?;
                Ok((statements(inner, &filter)?, tree(inner, &child(inner, &filter, 0)?)?))
            };
            let parts = (0..children).map(part).collect::<Result<Vec<_>, Error>>()?;
            Ok(if kind == SEQUENCE { Tree::Sequence(parts) } else { Tree::Unordered(parts) })
        }
        BAND => band(inner, node),
        // The domain, and whatever else only groups.
        _ if children == 1 => tree(inner, &child(inner, node, 0)?),
        _ => Ok(Tree::Leaf),
    }
}

fn band(inner: &Rc<Inner>, node: &Object) -> Result<Tree, Error> {
    let library = &inner.library;
    // SAFETY: the node is alive and a band.
    let (count, is_permutable, partial) = unsafe {
        (
            inner.size((library.schedule_node_band_n_member)(node.keep()))?,
            inner.truth((library.schedule_node_band_get_permutable)(node.keep()))?,
            (library.schedule_node_band_get_partial_schedule)(node.keep()),
        )
    };
    let partial = Object::new(inner, partial, library.multi_union_pw_aff_free)?;
    let member = |at| {
        // SAFETY: the objects are alive and have so many members.
        let (is_parallel, function) = unsafe {
            (
                inner.truth((library.schedule_node_band_member_get_coincident)(node.keep(), at))?,
                (library.multi_union_pw_aff_get_union_pw_aff)(partial.keep(), at),
            )
        };
        let function = Object::new(inner, function, library.union_pw_aff_free)?;
        Ok(Member { is_parallel, functions: functions(inner, &function)? })
    };
    let members = (0..count).map(member).collect::<Result<Vec<_>, Error>>()?;
    Ok(Tree::Band { members, is_permutable, inside: Box::new(tree(inner, &child(inner, node, 0)?)?) })
}

/// Collects the parts of an object while isl visits them.
struct Parts {
    free: Unary,
    inner: Rc<Inner>,
    parts: Vec<Object>,
}

/// Takes a part.
///
/// # Safety
/// `to` points to [`Parts`] for objects of the type of `part`.
unsafe extern "C" fn collect(part: Pointer, to: Pointer) -> c_int {
    // SAFETY: as asked of the caller.
    let to = unsafe { &mut *to.cast::<Parts>() };
    match Object::new(&to.inner, part, to.free) {
        Ok(part) => {
            to.parts.push(part);
            0
        }
        Err(_) => -1,
    }
}

/// Takes the second object of a pair, and frees the first, a set.
///
/// # Safety
/// As for [`collect`].
unsafe extern "C" fn collect_second(set: Pointer, part: Pointer, to: Pointer) -> c_int {
    // SAFETY: as asked of the caller; the set is given to us.
    unsafe {
        let parts = &mut *to.cast::<Parts>();
        (parts.inner.library.set_free)(set);
        collect(part, to)
    }
}

impl Parts {
    fn of(
        inner: &Rc<Inner>,
        free: Unary,
        visit: impl FnOnce(Pointer) -> c_int,
    ) -> Result<Vec<Object>, Error> {
        let mut parts = Parts { free, inner: Rc::clone(inner), parts: Vec::new() };
        let done = visit(std::ptr::from_mut(&mut parts).cast());
        inner.size(done)?;
        Ok(parts.parts)
    }
}

/// The statements that a filter lets pass.
fn statements(inner: &Rc<Inner>, filter: &Object) -> Result<Vec<String>, Error> {
    let library = &inner.library;
    // SAFETY: the node is alive and a filter.
    let set = unsafe { (library.schedule_node_filter_get_filter)(filter.keep()) };
    let set = Object::new(inner, set, library.union_set_free)?;
    // SAFETY: the set is alive, and the visitor takes what it is for.
    let visit = |to| unsafe { (library.union_set_foreach_set)(set.keep(), collect, to) };
    let sets = Parts::of(inner, library.set_free, visit)?;
    // SAFETY: sets that are alive; their names belong to them.
    let name = |set: &Object| unsafe { text_at((library.set_get_tuple_name)(set.keep())) };
    let mut names: Vec<String> = sets.iter().filter_map(name).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// The functions of all statements.
fn functions(inner: &Rc<Inner>, all: &Object) -> Result<Vec<Function>, Error> {
    let library = &inner.library;
    // SAFETY: the object is alive, and the visitor takes what it is for.
    let visit = |to| unsafe { (library.union_pw_aff_foreach_pw_aff)(all.keep(), collect, to) };
    let mut out = Vec::new();
    for piecewise in Parts::of(inner, library.pw_aff_free, visit)? {
        // SAFETY: as above.
        let visit = |to| unsafe { (library.pw_aff_foreach_piece)(piecewise.keep(), collect_second, to) };
        let pieces = Parts::of(inner, library.aff_free, visit)?;
        let affine = match &pieces[..] {
            [one] => affine(inner, one)?,
            _ => None,
        };
        // SAFETY: the object is alive; the name belongs to it and the text to us.
        let (statement, text) = unsafe {
            let name = text_at((library.pw_aff_get_tuple_name)(piecewise.keep(), INPUT));
            let text = (library.pw_aff_to_str)(piecewise.keep());
            let copied = text_at(text);
            libc::free(text.cast());
            (name, copied)
        };
        out.push(Function {
            statement: statement.unwrap_or_default(),
            affine,
            text: text.unwrap_or_default(),
        });
    }
    out.sort_by(|a, b| a.statement.cmp(&b.statement));
    Ok(out)
}

/// An expression, if it is integral and has no divisions.
fn affine(inner: &Rc<Inner>, expression: &Object) -> Result<Option<Affine>, Error> {
    let library = &inner.library;
    // SAFETY: the expression is alive; positions are below the dimensions it says it has.
    unsafe {
        let raw = expression.keep();
        let dims = |kind| inner.size((library.aff_dim)(raw, kind));
        let (inputs, parameters, divisions) = (dims(INPUT)?, dims(PARAMETER)?, dims(DIVISION)?);
        if divisions > 0
            && inner.truth((library.aff_involves_dims)(raw, DIVISION, 0, divisions.unsigned_abs()))?
        {
            return Ok(None);
        }
        let integer = |value: Pointer| -> Result<Option<i64>, Error> {
            let value = Object::new(inner, value, library.val_free)?;
            let is_integer = inner.truth((library.val_is_int)(value.keep()))?;
            let number: c_long = (library.val_get_num_si)(value.keep());
            Ok(is_integer.then_some(number))
        };
        let mut out = Affine::default();
        for at in 0..inputs {
            match integer((library.aff_get_coefficient_val)(raw, INPUT, at))? {
                Some(coefficient) => out.coefficients.push(coefficient),
                None => return Ok(None),
            }
        }
        for at in 0..parameters {
            match integer((library.aff_get_coefficient_val)(raw, PARAMETER, at))? {
                Some(0) => {}
                Some(coefficient) => {
                    let name = text_at((library.aff_get_dim_name)(raw, PARAMETER, at)).unwrap_or_default();
                    out.parameters.push((name, coefficient));
                }
                None => return Ok(None),
            }
        }
        match integer((library.aff_get_constant_val)(raw))? {
            Some(constant) => out.constant = constant,
            None => return Ok(None),
        }
        Ok(Some(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(domain: &str, validity: &str) -> Problem {
        Problem {
            context: String::new(),
            domain: domain.to_owned(),
            validity: validity.to_owned(),
            proximity: validity.to_owned(),
            observed: None,
            renaming: String::new(),
            algorithm: Algorithm::Bands,
            fusion: Fusion::Smart,
        }
    }

    fn scheduled(problem: &Problem) -> Schedule {
        Context::new().expect("isl").schedule(problem).expect("a schedule")
    }

    /// Seidel's dependences (0,1), (1,0), (1,-1): the band is permutable after skewing the inner loop by the outer one.
    #[test]
    fn seidel_is_skewed() {
        let seidel = problem(
            "{ S[t, i] : 0 <= t < 100 and 0 <= i < 1000 }",
            "{ S[t, i] -> S[t, 1 + i]; S[t, i] -> S[1 + t, i]; S[t, i] -> S[1 + t, -1 + i] }",
        );
        let schedule = scheduled(&seidel);
        assert!(schedule.is_legal);
        let Tree::Band { members, is_permutable, .. } = schedule.tree else { panic!("no band") };
        assert!(is_permutable && members.len() == 2);
        assert!(members.iter().all(|m| !m.is_parallel));
        let rows: Vec<Vec<i64>> = members
            .iter()
            .map(|m| m.functions[0].affine.as_ref().expect("affine").coefficients.clone())
            .collect();
        for (t, i) in [(0i64, 1i64), (1, 0), (1, -1)] {
            assert!(rows.iter().all(|r| r[0] * t + r[1] * i >= 0), "{rows:?}");
        }
        assert!(rows.iter().any(|r| r[0] != 0 && r[1] != 0), "{rows:?}");
    }

    /// A row of a matrix product: the loop over the sum is carried, the others are parallel.
    #[test]
    fn parallel_loops_are_told_from_carried_ones() {
        let product =
            problem("[n] -> { S[i, j, k] : 0 <= i, j, k < n }", "[n] -> { S[i, j, k] -> S[i, j, k + 1] }");
        let Tree::Band { members, is_permutable, .. } = scheduled(&product).tree else { panic!("no band") };
        assert!(is_permutable);
        assert_eq!(members.iter().filter(|m| m.is_parallel).count(), 2);
    }

    #[test]
    fn statements_in_sequence() {
        let two = problem(
            "{ A[i] : 0 <= i < 100; B[i] : 0 <= i < 100 }",
            "{ A[i] -> B[j] : 0 <= i < 100 and 0 <= j < 100 }",
        );
        let Tree::Sequence(parts) = scheduled(&two).tree else { panic!("no sequence") };
        let names: Vec<&[String]> = parts.iter().map(|p| &p.0[..]).collect();
        assert_eq!(names, [["A".to_owned()], ["B".to_owned()]]);
        assert!(matches!(&parts[0].1, Tree::Band { members, .. } if members[0].is_parallel));
    }

    #[test]
    fn feautrier_has_single_loops() {
        let mut seidel = problem(
            "{ S[t, i] : 0 <= t < 100 and 0 <= i < 1000 }",
            "{ S[t, i] -> S[t, 1 + i]; S[t, i] -> S[1 + t, i]; S[t, i] -> S[1 + t, -1 + i] }",
        );
        seidel.algorithm = Algorithm::Feautrier;
        let schedule = scheduled(&seidel);
        assert!(schedule.is_legal);
        assert!(matches!(&schedule.tree, Tree::Band { members, .. } if members.len() == 1));
    }

    /// Rows of 40 elements one after the other: equal addresses are equal iterations, which no parameter would show.
    #[test]
    fn observed_sizes_tell_rows_apart() {
        let mut rows = problem("[n] -> { R[i, j] : 0 <= i, j < n; W[i, j] : 0 <= i, j < n }", "{ }");
        rows.context = "[n] -> { : n >= 32 }".to_owned();
        rows.observed = Some(Observed {
            domain: "{ R[i, j] : 0 <= i, j < 40; W[i, j] : 0 <= i, j < 40 }".to_owned(),
            validity: "{ R[o, p] -> W[i, j] : 40 o + p = 40 i + j }".to_owned(),
        });
        rows.fusion = Fusion::Maximal;
        let Tree::Band { members, is_permutable, .. } = scheduled(&rows).tree else { panic!("no band") };
        assert!(is_permutable && members.len() == 2 && members.iter().all(|m| m.is_parallel));
    }

    /// A triangle whose counters begin at 0: in terms of what the loops count, the band needs no skew.
    #[test]
    fn other_coordinates() {
        let mut triangle = problem(
            "[n] -> { S[i, c] : 0 <= i < n and 0 <= c < n - i }",
            "[n] -> { S[i, c] -> S[i + 1, c - 1]; S[i, c] -> S[i, c + 1] }",
        );
        triangle.renaming = "{ S[i, c] -> U[i, i + c] }".to_owned();
        let Tree::Band { members, is_permutable, .. } = scheduled(&triangle).tree else { panic!("no band") };
        assert!(is_permutable && members.len() == 2, "{members:?}");
        let functions: Vec<&Function> = members.iter().map(|m| &m.functions[0]).collect();
        assert!(functions.iter().all(|f| f.statement == "U"));
        let sums =
            functions.iter().filter_map(|f| f.affine.as_ref()).map(|a| a.coefficients.iter().sum::<i64>());
        assert_eq!(sums.collect::<Vec<_>>(), [1, 1], "{members:?}");
    }

    #[test]
    fn bad_texts_are_refused() {
        let context = Context::new().expect("isl");
        for text in ["{ S[i : }", "nonsense", "{ S[i] -> T[i] }", "\0"] {
            assert!(context.schedule(&problem(text, "{ }")).is_err(), "{text}");
        }
        assert!(context.version().contains("isl"), "{}", context.version());
    }
}
