//! `loopwright reconstruct`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use reconstruct::approximate::{Approximation, approximate};
use reconstruct::codec::Id;
use reconstruct::prove::{self, Proof, prove};
use reconstruct::run::Run;
use reconstruct::statement::Statement;
use reconstruct::stream::Reconstruction;
use reconstruct::stream::Reconstructor;
use reconstruct::whole::Combiner;
use reconstruct::{codec, levels, render};

use crate::progress::Progress;
use crate::recording::INTERRUPTED;
use crate::spmv_command;
use crate::streams::{self, Consumer, Found, note, options};
use crate::streams_args::{NestFormat, ReconstructArgs};

/// Runs the command; gives the exit code.
pub fn run(args: &ReconstructArgs) -> Result<u8> {
    if let Some(matrix) = &args.spmv {
        return spmv_command::run(args, matrix);
    }
    if args.format == NestFormat::Openscop && !args.whole {
        bail!("OpenScop is a format of --whole");
    }
    if args.whole {
        return whole(args);
    }
    if let Some(share) = args.approximate {
        return approximately(args, share);
    }
    let mut options = options(&args.search);
    options.floors = args.floors;
    options.time = Some(args.search.time_limit);
    let made = options.clone();
    let mut progress = Progress::new(args.quiet);
    let read = streams::open(&args.input, false, &mut progress, move |_| Reconstructor::new(made.clone()))?;
    let mut exit = read.exit_code(args.quiet);
    if !args.quiet {
        let mixed = read.mixed();
        if !mixed.is_empty() {
            note(&format!("loopwright: accesses of several sizes in one stream: {}", mixed.join(", ")));
        }
    }
    let effort = streams::effort(&options, args.search.time_limit, read.list.len(), &read.stop);
    let unsigned = read.unsigned;
    let (mut results, is_stopped) = streams::finish(read.list, &effort, &mut progress);
    if is_stopped {
        exit = INTERRUPTED;
        if !args.quiet {
            note(streams::SEARCH_ENDED);
        }
    }
    if let Some(wanted) = args.levels {
        let modal =
            levels::modal_trips(results.iter().flat_map(|r| &r.result.nests).filter_map(Statement::nest));
        for found in &mut results {
            for statement in &mut found.result.nests {
                if let Statement::Nest(nest) = statement {
                    *nest = levels::split(nest, usize::from(wanted), args.trip, &modal)?;
                }
            }
        }
    }
    is_one(args.format, results.len())?;
    if args.prove && args.format != NestFormat::Text {
        bail!("--prove says what it has found in text alone");
    }
    let text = rendered(&results, args, render::Numbers::of(unsigned));
    streams::write(args.output.as_deref(), |out| out.write_all(text.as_bytes()))?;
    Ok(exit)
}

fn rendered(results: &[Found], args: &ReconstructArgs, numbers: render::Numbers) -> String {
    let format = args.format;
    let mut out = String::new();
    let one = |statements: &[Statement]| match format {
        NestFormat::Isl => render::isl(statements, numbers),
        _ => render::text(statements, numbers),
    };
    match format {
        NestFormat::Json => {
            let streams = results.iter().map(|found| render::Stream {
                id: &found.name,
                nests: &found.result.nests,
                accesses: found.result.accesses,
                bytes: codec::size(&found.result),
                exceptions: &[],
            });
            render::json(&streams.collect::<Vec<_>>(), numbers)
        }
        NestFormat::C => render::c(results.first().map_or(&[], |found| &found.result.nests), numbers),
        NestFormat::Text | NestFormat::Isl | NestFormat::Openscop => {
            if results.is_empty() {
                return "# empty trace\n".to_owned();
            }
            for Found { name, result } in results {
                if results.len() > 1 {
                    out.push_str(&format!("# stream {name}\n"));
                }
                out.push_str(&format!("# {}\n", render::summary(result)));
                if args.prove {
                    out.push_str(&format!("# {}\n", proved(result)));
                }
                out.push_str(&one(&result.nests));
            }
            out
        }
    }
}

/// Whether a trace that is one nest has one of fewer loops.
fn proved(found: &Reconstruction) -> String {
    let [Statement::Nest(nest)] = &found.nests[..] else {
        return "nothing is proved of what is not one nest".to_owned();
    };
    if found.accesses > prove::MOST as u64 {
        return format!("nothing is proved of more than {} integers", prove::MOST);
    }
    match prove(&found.integers(), nest.depth()) {
        Proof::Least(shapes) => {
            format!(
                "proved: no nest of fewer loops with one bound a side generates it ({shapes} shapes tried)"
            )
        }
        Proof::Fewer(fewer) => {
            let text = render::text(&[fewer.into()], render::Numbers::Signed);
            format!(
                "a nest of fewer loops generates it as well:\n# {}",
                text.trim_end().replace('\n', "\n# ")
            )
        }
        Proof::TooLarge => "nothing is proved of more than three loops".to_owned(),
    }
}

/// A program in C prints one stream.
fn is_one(format: NestFormat, streams: usize) -> Result<()> {
    if format == NestFormat::C && streams > 1 {
        bail!("the trace has {streams} streams and C output is one program; choose one with --stream ID");
    }
    Ok(())
}

/// A stream kept integer by integer.
#[derive(Default)]
struct Kept {
    values: Vec<i64>,
    left_out: u64,
}

/// Integers of a stream that are kept, at most.
const MOST: usize = 1 << 26;

impl Consumer for Kept {
    fn values(&mut self, values: &[i64]) {
        let room = values.len().min(MOST - self.values.len());
        self.values.extend_from_slice(&values[..room]);
        self.left_out += (values.len() - room) as u64;
    }

    fn run(&mut self, run: Run) {
        let room = (MOST - self.values.len()) as u64;
        self.values.extend(run.values().take(room as usize));
        self.left_out += run.count.saturating_sub(room);
    }
}

/// Runs the command with exceptions allowed.
fn approximately(args: &ReconstructArgs, share: f64) -> Result<u8> {
    if args.format == NestFormat::Isl {
        bail!("--approximate gives text, c or json");
    }
    let mut progress = Progress::new(args.quiet);
    let read = streams::open(&args.input, false, &mut progress, |_| Kept::default())?;
    if let Some(long) = read.list.iter().find(|stream| stream.consumer.left_out > 0) {
        bail!("stream {} is longer than the {MOST} integers that --approximate takes", long.name);
    }
    let exit = read.exit_code(args.quiet);
    let numbers = render::Numbers::of(read.unsigned);
    let mut options = options(&args.search);
    options.floors = args.floors;
    options.effort = streams::effort(&options, args.search.time_limit, read.list.len(), &read.stop);
    is_one(args.format, read.list.len())?;
    progress.phase("finding loops", true);
    let found: Vec<(String, Approximation)> = read
        .list
        .into_iter()
        .map(|stream| (stream.name, approximate(&stream.consumer.values, share, &options)))
        .collect();
    progress.end();
    let mut out = String::new();
    match args.format {
        NestFormat::C => {
            if let Some((_, found)) = found.first() {
                out = render::c_with_exceptions(&found.regular.nests, &found.exceptions, numbers);
            }
        }
        NestFormat::Json => {
            let streams = found.iter().map(|(name, found)| render::Stream {
                id: name,
                nests: &found.regular.nests,
                accesses: found.accesses,
                bytes: codec::size(&found.regular),
                exceptions: &found.exceptions,
            });
            out = render::json(&streams.collect::<Vec<_>>(), numbers);
        }
        NestFormat::Text | NestFormat::Isl | NestFormat::Openscop => {
            for (name, one) in &found {
                if found.len() > 1 {
                    out.push_str(&format!("# stream {name}\n"));
                }
                out.push_str(&format!("# {}\n", render::summary_with_exceptions(one)));
                out.push_str(&render::text(&one.regular.nests, numbers));
                out.push_str(&render::exceptions(one, &options, numbers));
            }
        }
    }
    streams::write(args.output.as_deref(), |to| to.write_all(out.as_bytes()))?;
    Ok(exit)
}

/// A stream of a program of all streams.
struct Combined {
    /// `None` for that of the order, which the accesses have as they come.
    index: Option<usize>,
    to: Rc<RefCell<Combiner>>,
}

impl Consumer for Combined {
    fn values(&mut self, values: &[i64]) {
        if let Some(index) = self.index {
            self.to.borrow_mut().push(index, values);
        }
    }

    fn run(&mut self, _: Run) {}
}

/// Runs the command for all streams together.
fn whole(args: &ReconstructArgs) -> Result<u8> {
    if args.format == NestFormat::Json {
        bail!("--whole gives text, c, isl or openscop");
    }
    let mut options = options(&args.search);
    options.floors = args.floors;
    options.time = Some(args.search.time_limit);
    let to = Rc::new(RefCell::new(Combiner::new(&options)));
    let mut progress = Progress::new(args.quiet);
    let (all, next) = (to.clone(), Cell::new(None));
    let make = move |_: &Id| {
        let index = next.replace(Some(next.get().map_or(0, |index| index + 1)));
        Combined { index, to: all.clone() }
    };
    let read = streams::open(&args.input, true, &mut progress, make)?;
    if read.order.is_none() && !read.list.is_empty() {
        bail!(
            "this trace does not keep the order between streams; make it with `loopwright trace --ordered`"
        );
    }
    if read.unsigned {
        bail!("--whole takes integers of 48 bits, the sign included; this trace has unsigned ones of 64");
    }
    let exit = read.exit_code(args.quiet);
    let effort = streams::effort(&options, args.search.time_limit, 1, &read.stop);
    let (list, order) = read.into_parts();
    let names: Vec<String> = list.into_iter().map(|stream| stream.name).collect();
    drop(order);
    progress.phase("finding loops", true);
    let mut combiner = Rc::into_inner(to).context("the streams are still read")?.into_inner();
    if combiner.streams() > names.len() {
        bail!(
            "one stream is called exactly so and others begin so; --whole takes all that begin so: write more of the id"
        );
    }
    combiner.set_effort(effort);
    let program = combiner.finish()?;
    progress.end();
    let text = match args.format {
        NestFormat::C => program.c(&names),
        NestFormat::Isl => program.isl(&names),
        NestFormat::Openscop => program.openscop(&names, &|name| name.contains(":store")),
        NestFormat::Text | NestFormat::Json => {
            format!(
                "# {} accesses of {} streams, exact\n{}",
                program.accesses,
                names.len(),
                program.text(&names)
            )
        }
    };
    streams::write(args.output.as_deref(), |to| to.write_all(text.as_bytes()))?;
    Ok(exit)
}
