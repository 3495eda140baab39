//! An order of execution for isl's generator of loops: instances of the source, and their vectors of time.

use source::{Counted, Linear, Symbol};

use super::Cut;
use super::matched::{flat, name};
use crate::options::times::Blocks;
use crate::options::{Component, Dimension, Order, Row};

/// The instances of the source, with `i0`, `i1`, … for its iterators, `p0`, `p1`, … for parameters and `t0`, `t1`, … for the
/// new loops.
pub fn for_isl(cut: &Cut, order: &Order) -> Result<isl::Order, String> {
    let parameters: Vec<String> = (0..cut.nest.parameters.len()).map(|p| format!("p{p}")).collect();
    let declaration =
        if parameters.is_empty() { String::new() } else { format!("[{}] -> ", parameters.join(", ")) };
    let loops = flat(cut.nest);
    let each = |(s, times): (usize, &Vec<Dimension>)| {
        let own: Vec<&Counted> = cut.matched.around[s].iter().map(|&at| loops[at].1).collect();
        let iterators: Vec<String> = (0..own.len()).map(|q| format!("i{q}")).collect();
        let offsets = offsets(&own).ok_or_else(|| "numbers of its bounds are too large".to_owned())?;
        let coordinates: Vec<String> =
            offsets.iter().enumerate().map(|(q, o)| format!("(i{q} - ({}))", o.text(&symbol))).collect();
        let mut components: Vec<String> =
            times.iter().map(|d| component(&d.component, &coordinates)).collect();
        components.resize(order.length, "0".to_owned());
        let conditions: Vec<String> = own.iter().enumerate().map(|(q, l)| condition(l, q)).collect();
        let (from, to) = (iterators.join(", "), components.join(", "));
        Ok(format!("{}[{from}] -> [{to}] : {}", name(s), conditions.join(" and ")))
    };
    let active = order.times.iter().enumerate().filter(|(s, _)| !cut.nest.statements[*s].is_silent);
    let all: Vec<String> = active.map(each).collect::<Result<_, String>>()?;
    Ok(isl::Order {
        context: format!("{declaration}{{ : }}"),
        times: format!("{declaration}{{ {} }}", all.join("; ")),
        iterators: (0..order.length).map(|d| format!("t{d}")).collect(),
        // The innermost loops.
        split: order.length.checked_sub(1).into_iter().chain(order.length.checked_sub(2)).collect(),
    })
}

fn symbol(symbol: Symbol) -> String {
    match symbol {
        Symbol::Iterator(depth) => format!("i{depth}"),
        Symbol::Parameter(at) => format!("p{at}"),
    }
}

/// Iterator minus coordinate, per loop: what of the first values are parameters.
fn offsets(loops: &[&Counted]) -> Option<Vec<Linear>> {
    let mut out: Vec<Linear> = Vec::new();
    for counted in loops {
        let mut own = Linear::default();
        for (&symbol, &factor) in &counted.first.terms {
            let part = match symbol {
                Symbol::Parameter(_) => Linear::symbol(symbol),
                Symbol::Iterator(depth) => out.get(depth)?.clone(),
            };
            own = own.plus(factor, &part)?;
        }
        out.push(own);
    }
    Some(out)
}

/// Iterator minus coordinate of a loop around a statement, in the notation of isl.
pub fn offset(cut: &Cut, statement: usize, of: usize) -> Option<String> {
    let loops = flat(cut.nest);
    let own: Vec<&Counted> = cut.matched.around[statement].iter().map(|&at| loops[at].1).collect();
    offsets(&own)?.get(of).map(|offset| offset.text(&symbol))
}

/// The iterations of a loop.
fn condition(l: &Counted, q: usize) -> String {
    let (first, last) = (l.first.text(&symbol), l.last.text(&symbol));
    let (low, high) = if l.step > 0 { (&first, &last) } else { (&last, &first) };
    let stride = match l.step.unsigned_abs() {
        1 => String::new(),
        step => format!(" and (i{q} - ({first})) mod {step} = 0"),
    };
    format!("{low} <= i{q} <= {high}{stride}")
}

fn component(component: &Component, coordinates: &[String]) -> String {
    match component {
        Component::Fixed(place) => place.to_string(),
        Component::Point(r) => row(r, coordinates),
        Component::Tile(b) => format!("{}*{}", b.size, block(b, coordinates)),
        Component::Diagonal(a, b) => format!("{} + {}", block(a, coordinates), block(b, coordinates)),
    }
}

fn block(blocks: &Blocks, coordinates: &[String]) -> String {
    format!("floor(({})/{})", row(&blocks.row, coordinates), blocks.size)
}

fn row(row: &Row, coordinates: &[String]) -> String {
    let terms = row.coefficients.iter().zip(coordinates).filter(|(factor, _)| **factor != 0);
    let mut parts: Vec<String> = terms.map(|(factor, x)| format!("{factor}*{x}")).collect();
    parts.push(row.constant.to_string());
    parts.join(" + ")
}
