//! What kernels cost: counted by hand, and requests lane by lane.

use crate::support;

use gpumap::access::Accesses;
use gpumap::coalescing::Coalescing;
use gpumap::cost::show::{between, show_estimate};
use gpumap::cost::{Estimate, Grid};
use gpumap::device::{Block, Device};
use gpumap::offload::Parameters;
use support::nests::{Source, with_loops};

/// What is found of a nest on a device whose inputs have these values.
fn with_estimate<T>(
    nest: Source,
    block: &str,
    values: &[(&str, i64)],
    look: impl FnOnce(&mut Accesses<'_>, &Coalescing, &Estimate, Block) -> T,
) -> T {
    with_loops(nest, values, |(module, control), accesses, loops| {
        let (block, device) = (block.parse().unwrap(), Device::named("sm_90").unwrap());
        let found = Coalescing::new(accesses, loops, block, device).unwrap();
        let parameters = Parameters::new(module, control, accesses, loops);
        let estimate = Estimate::new(accesses, &found, &parameters, block, device).unwrap();
        look(accesses, &found, &estimate, block)
    })
}

/// Operations of single precision, of double precision and on integers.
fn operations(source: Source) -> [String; 3] {
    with_estimate(source, "32x8", &[], |accesses, _, estimate, _| {
        let atoms = &accesses.assumed_mut().atoms;
        let of = &estimate.operations;
        [&of.single, &of.double, &of.integer].map(|number| between(atoms, number))
    })
}

#[test]
fn operations_are_those_of_the_source() {
    // A product and a sum in each of n iterations; 2 products, 2 sums, 2 conversions and 2 addresses there, with the counter, the test
    // that is made once more, and the store's address.
    let [single, double, integer] = operations(("mappings", "product", 2));
    assert_eq!((single.as_str(), double.as_str()), ("2*n", "0"));
    assert_eq!(integer, "10*n + 5");
    // Four sums.
    assert_eq!(operations(("mappings", "heat", 2))[1], "4");
    // k < i: no iteration for the first thread, n - 1 for the last one; what a branch may leave out is not certain.
    assert_eq!(operations(("mappings", "triangle", 1))[0], "0 to n - 1");
    let guarded = operations(("colour_convolution", "convolve", 2));
    assert_eq!(guarded[0], "3 to 9*filter_width*filter_height + 3");
}

/// Threads and warps of grids of all kinds, counted one by one.
#[test]
fn warps_are_those_with_threads() {
    for block in ["32x8", "16x16", "24x8", "8x4x4", "5"] {
        for extents in [[1, 1, 1], [31, 7, 1], [32, 8, 1], [33, 9, 5], [100, 3, 2], [0, 4, 1]] {
            let own: Block = block.parse().unwrap();
            let grid = Grid::of(extents.map(i64::from), own);
            let mut counted = 0u64;
            let blocks =
                |axis: usize| (0..u32::try_from(extents[axis]).unwrap()).step_by(own.extent(axis) as usize);
            for z in blocks(2) {
                for y in blocks(1) {
                    for x in blocks(0) {
                        for warp in 0..own.warps() {
                            let is_inside = |thread: [u32; 3]| {
                                let places = [x + thread[0], y + thread[1], z + thread[2]];
                                places
                                    .iter()
                                    .zip(extents)
                                    .all(|(&place, end)| i64::from(place) < i64::from(end))
                            };
                            counted += u64::from(own.lanes(warp).any(is_inside));
                        }
                    }
                }
            }
            assert_eq!(grid.warps(), Some(counted), "{block}, {extents:?}");
        }
    }
}

/// Bytes of requests against those of lanes that are enumerated: no fewer, and as many where all warps are full and begin with a sector.
#[test]
fn bytes_are_those_of_requests() {
    let mut exact = 0;
    for (nest, inputs) in [
        (("mappings", "add", 2), &["n"][..]),
        (("mappings", "transpose", 2), &["n"]),
        (("mappings", "product", 2), &["n"]),
        (("mappings", "line", 1), &["n"]),
        (("mappings", "filtered", 1), &["n", "m"]),
        (("matrix_addition", "add", 2), &["n"]),
    ] {
        for n in [3, 32, 40, 64] {
            for block in ["32x8", "16x16", "64"] {
                let values: Vec<(&str, i64)> = inputs.iter().map(|&name| (name, n)).collect();
                with_estimate(nest, block, &values, |accesses, found, estimate, block| {
                    let (mut bytes, mut requests) = (0, None);
                    for requested in found.accesses.iter().filter(|requested| !requested.is_scalar) {
                        let all = found.enumerate(accesses, requested, found.advice.x, block, 32).unwrap();
                        bytes += all.iter().map(|way| way.units * 32).sum::<u64>();
                        // The one at the end is done once by each thread.
                        requests = all.first().map(|way| way.count);
                    }
                    let kernel = estimate.kernel.as_ref().unwrap();
                    assert!(
                        kernel.each_time >= bytes,
                        "{nest:?} {n} {block}: {} and {bytes}",
                        kernel.each_time
                    );
                    assert!(kernel.once <= kernel.each_time);
                    if nest.1 == "add" {
                        assert_eq!(estimate.warps, requests, "{nest:?} {n} {block}");
                    }
                    let is_full = n % 32 == 0 && (nest.1 == "add" || nest.1 == "product");
                    if is_full {
                        assert_eq!(kernel.each_time, bytes, "{nest:?} {n} {block}");
                        exact += 1;
                    }
                });
            }
        }
    }
    assert!(exact >= 12, "{exact}");
}

/// Times are those of the printed rates; without values what is needed is named.
#[test]
fn times_are_those_of_the_product() {
    with_estimate(("mappings", "add", 2), "32x8", &[("n", 1024)], |_, _, estimate, _| {
        let times = estimate.times.unwrap();
        let bytes = 12.0 * 1024.0 * 1024.0;
        assert!((times.transfer * 64e9 - bytes).abs() < 1.0, "{times:?}");
        assert!((times.kernel_least * 3350e9 - bytes).abs() < 1.0 && !times.is_by_operations, "{times:?}");
    });
    // 2·4096³ operations at 67 TFLOPS take longer than the matrices.
    with_estimate(("mappings", "product", 2), "32x8", &[("n", 4096)], |_, _, estimate, _| {
        let times = estimate.times.unwrap();
        let operations = 2.0 * 4096f64.powi(3);
        assert!((times.kernel_least * 67e12 / operations - 1.0).abs() < 1e-9, "{times:?}");
        assert!(times.kernel_most > times.kernel_least && !times.is_by_operations);
    });
    with_estimate(("mappings", "product", 2), "32x8", &[], |accesses, _, estimate, _| {
        assert_eq!((estimate.times, &estimate.missing[..]), (None, &["n".to_owned()][..]));
        let shown = show_estimate(accesses, estimate, Device::named("sm_90").unwrap());
        assert!(shown.contains("for numbers, needed: n"), "{shown}");
    });
}
