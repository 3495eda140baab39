//! Loops that run instances in the order of a schedule, by isl's AST builder.

use std::ffi::{CString, c_int};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::context::{Context, Error, Inner, Object, text_at};
use crate::library::Pointer;

/// Instances and when they run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// What is known of the parameters, a set.
    pub context: String,
    /// From instances to vectors of time, all of one length: a union map whose domain is what is to run.
    pub times: String,
    /// Names for the loops, one per component of time.
    pub iterators: Vec<String>,
    /// Loops, by their components of time, that are split rather than have conditions inside.
    pub split: Vec<usize>,
}

/// Loops; expressions are in C, with the macros `min`, `max` and `floord` (division rounded down).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ast {
    /// A loop.
    For {
        /// Name of its iterator.
        iterator: String,
        /// First value.
        init: String,
        /// Condition to go on; empty if there is one iteration alone.
        condition: String,
        /// What is added per iteration.
        step: String,
        /// Inside.
        body: Box<Ast>,
    },
    /// A condition.
    If {
        /// The condition.
        condition: String,
        /// Where it holds.
        then: Box<Ast>,
        /// Where it does not.
        otherwise: Option<Box<Ast>>,
    },
    /// Parts one after the other.
    Block(Vec<Ast>),
    /// An instance of a statement.
    Run {
        /// The statement.
        statement: String,
        /// Its coordinates.
        arguments: Vec<String>,
    },
}

impl Context {
    /// The loops that run instances in an order. There is no limit: see [`crate::worker`].
    ///
    /// # Errors
    /// A text is not in isl's notation, or isl gave up.
    pub fn loops(&self, order: &Order) -> Result<Ast, Error> {
        let (inner, library) = (&self.0, &self.0.library);
        let context = Object::read(inner, &order.context, library.set_read_from_str, library.set_free)?;
        let components = order.iterators.join(", ");
        let split: Vec<String> =
            order.split.iter().map(|at| format!("[{components}] -> separate[{at}]")).collect();
        let options = format!("{{ {} }}", split.join("; "));
        let options = Object::read(inner, &options, library.union_map_read_from_str, library.union_map_free)?;
        let times =
            Object::read(inner, &order.times, library.union_map_read_from_str, library.union_map_free)?;
        // SAFETY: objects of the types asked for; every `take` argument is given up.
        let node = unsafe {
            let mut names =
                (library.id_list_alloc)(inner.raw, c_int::try_from(order.iterators.len()).unwrap_or(0));
            for name in &order.iterators {
                let name = CString::new(name.as_str()).map_err(|_| Error::ZeroByte)?;
                let id = (library.id_alloc)(inner.raw, name.as_ptr(), std::ptr::null_mut());
                names = (library.id_list_add)(names, id);
            }
            let build = (library.ast_build_from_context)(context.take());
            let build = (library.ast_build_set_iterators)(build, names);
            let build = (library.ast_build_set_options)(build, options.take());
            let build = Object::new(inner, build, library.ast_build_free)?;
            let node = (library.ast_build_node_from_schedule_map)(build.keep(), times.take());
            Object::new(inner, node, library.ast_node_free)?
        };
        ast(inner, &node)
    }
}

/// Kinds of nodes, as `isl_ast_node_type` numbers them.
const FOR: c_int = 1;
const IF: c_int = 2;
const BLOCK: c_int = 3;
const MARK: c_int = 4;
const USER: c_int = 5;

fn ast(inner: &Rc<Inner>, node: &Object) -> Result<Ast, Error> {
    let library = &inner.library;
    let raw = node.keep();
    let child =
        |child: Pointer| Object::new(inner, child, library.ast_node_free).and_then(|c| ast(inner, &c));
    // SAFETY: the node is alive and of the type that each function is for.
    unsafe {
        match (library.ast_node_get_type)(raw) {
            FOR => {
                let is_single = inner.truth((library.ast_node_for_is_degenerate)(raw))?;
                let condition = match is_single {
                    true => String::new(),
                    false => expression(inner, (library.ast_node_for_get_cond)(raw))?,
                };
                let step = match is_single {
                    true => "1".to_owned(),
                    false => expression(inner, (library.ast_node_for_get_inc)(raw))?,
                };
                Ok(Ast::For {
                    iterator: expression(inner, (library.ast_node_for_get_iterator)(raw))?,
                    init: expression(inner, (library.ast_node_for_get_init)(raw))?,
                    condition,
                    step,
                    body: Box::new(child((library.ast_node_for_get_body)(raw))?),
                })
            }
            IF => {
                let has_else = inner.truth((library.ast_node_if_has_else)(raw))?;
                Ok(Ast::If {
                    condition: expression(inner, (library.ast_node_if_get_cond)(raw))?,
                    then: Box::new(child((library.ast_node_if_get_then)(raw))?),
                    otherwise: match has_else {
                        true => Some(Box::new(child((library.ast_node_if_get_else)(raw))?)),
                        false => None,
                    },
                })
            }
            BLOCK => {
                let list = (library.ast_node_block_get_children)(raw);
                let list = Object::new(inner, list, library.ast_node_list_free)?;
                let count = inner.size((library.ast_node_list_n_ast_node)(list.keep()))?;
                let part = |at| child((library.ast_node_list_get_ast_node)(list.keep(), at));
                Ok(Ast::Block((0..count).map(part).collect::<Result<_, _>>()?))
            }
            MARK => child((library.ast_node_mark_get_node)(raw)),
            USER => {
                let call = (library.ast_node_user_get_expr)(raw);
                let call = Object::new(inner, call, library.ast_expr_free)?;
                let count = inner.size((library.ast_expr_get_op_n_arg)(call.keep()))?;
                let argument = |at| expression(inner, (library.ast_expr_get_op_arg)(call.keep(), at));
                Ok(Ast::Run {
                    statement: argument(0)?,
                    arguments: (1..count).map(argument).collect::<Result<_, _>>()?,
                })
            }
            _ => Err(Error::Refused("a part of a program without a type".to_owned())),
        }
    }
}

/// An expression in C; it is taken.
fn expression(inner: &Rc<Inner>, expression: Pointer) -> Result<String, Error> {
    let library = &inner.library;
    let expression = Object::new(inner, expression, library.ast_expr_free)?;
    // SAFETY: the expression is alive; the text belongs to us.
    let text = unsafe {
        let text = (library.ast_expr_to_C_str)(expression.keep());
        let copied = text_at(text);
        libc::free(text.cast());
        copied
    };
    text.ok_or_else(|| inner.error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiled_triangle() {
        let order = Order {
            context: "[n] -> { : n >= 1 }".to_owned(),
            times: "[n] -> { S[i, j] -> [32*floor(i/32), i, j] : 0 <= i < n and i < j < n }".to_owned(),
            iterators: ["t0", "t1", "t2"].map(str::to_owned).to_vec(),
            split: Vec::new(),
        };
        let ast = Context::new().expect("isl").loops(&order).expect("loops");
        let Ast::For { iterator, init, condition, step, body } = ast else { panic!("no loop: {ast:?}") };
        assert_eq!((&iterator[..], &init[..], &step[..]), ("t0", "0", "32"));
        assert!(condition.contains("n"), "{condition}");
        let Ast::For { condition, body, .. } = *body else { panic!("no loop: {body:?}") };
        assert!(condition.contains("min("), "{condition}");
        let Ast::For { init, body, .. } = *body else { panic!("no loop: {body:?}") };
        assert_eq!(init, "t1 + 1");
        assert_eq!(
            *body,
            Ast::Run { statement: "S".to_owned(), arguments: vec!["t1".to_owned(), "t2".to_owned()] }
        );
    }

    #[test]
    fn statements_in_turn() {
        let order = Order {
            context: "{ : }".to_owned(),
            times: "{ A[i] -> [i, 0, 0] : 0 <= i < 9; B[i, k] -> [i, 1, -k] : 0 <= i < 9 and 0 <= k < i }"
                .to_owned(),
            iterators: ["t0", "t1", "t2"].map(str::to_owned).to_vec(),
            split: Vec::new(),
        };
        let ast = Context::new().expect("isl").loops(&order).expect("loops");
        let Ast::For { body, .. } = ast else { panic!("no loop: {ast:?}") };
        let Ast::Block(parts) = *body else { panic!("no block: {body:?}") };
        assert!(matches!(&parts[0], Ast::Run { statement, .. } if statement == "A"));
        assert!(matches!(&parts[1], Ast::For { iterator, .. } if iterator == "t2"), "{parts:?}");
    }

    /// Two statements, one of them later by one: the common part of their loops has no condition inside.
    #[test]
    fn loops_are_split() {
        let mut order = Order {
            context: "[n] -> { : }".to_owned(),
            times: "[n] -> { A[i] -> [i, 0] : 0 <= i < n; B[i] -> [i + 1, 1] : 0 <= i < n }".to_owned(),
            iterators: ["t0", "t1"].map(str::to_owned).to_vec(),
            split: vec![0],
        };
        let has_guards = |order: &Order| {
            let ast = Context::new().expect("isl").loops(order).expect("loops");
            is_guarded(&ast)
        };
        assert!(!has_guards(&order));
        order.split.clear();
        assert!(has_guards(&order));
    }

    /// Whether a condition stands inside a loop.
    fn is_guarded(ast: &Ast) -> bool {
        match ast {
            Ast::For { body, .. } => format!("{body:?}").contains("If {"),
            Ast::If { then, otherwise, .. } => {
                is_guarded(then) || otherwise.as_deref().is_some_and(is_guarded)
            }
            Ast::Block(parts) => parts.iter().any(is_guarded),
            Ast::Run { .. } => false,
        }
    }

    #[test]
    fn bad_texts_are_refused() {
        for times in ["nonsense", "{ S[i] }", "\0"] {
            let order = Order {
                context: "{ : }".to_owned(),
                times: times.to_owned(),
                iterators: Vec::new(),
                split: Vec::new(),
            };
            assert!(Context::new().expect("isl").loops(&order).is_err(), "{times}");
        }
    }
}
