//! The devices that are known.
//!
//! Sources: limits from NVIDIA's libcu++, `cuda/__device/arch_traits.h`, which agrees with the table of technical
//! specifications in the CUDA C++ Programming Guide; those of `fermi` from the CUDA C Programming Guide 4.2, appendix F (compute
//! capability 2.0). Units of allocation from `cuda_occupancy.h` of the CUDA toolkit. Sectors of 32 bytes and lines of 128 bytes
//! from the CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory". Figures of products from the data sheets and
//! architecture papers named with them.

use super::estimate::Rates;

/// A model of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// What it is called: `sm_` and the compute capability, or `fermi`.
    pub name: &'static str,
    /// Bytes that global memory moves at least.
    pub sector: u32,
    /// Bytes of a cache line.
    pub line: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared_per_multiprocessor: u32,
    /// Most bytes of shared memory that a block may ask for.
    pub shared_per_block: u32,
    /// Bytes of shared memory that the system takes for itself in every block.
    pub shared_reserved: u32,
    /// Shared memory is given in multiples of so many bytes.
    pub shared_unit: u32,
    /// Most threads of a block.
    pub threads_per_block: u32,
    /// Most warps that a multiprocessor holds.
    pub warps_per_multiprocessor: u32,
    /// Most blocks that a multiprocessor holds.
    pub blocks_per_multiprocessor: u32,
    /// The product that the rates are those of.
    pub product: &'static str,
    /// What it does in a second.
    pub rates: Rates,
}

const KIB: u32 = 1024;

/// Tesla C2050 (board specification BD-04983-001): the generation of the published formula. Its sectors are those of loads that
/// do not go through the first cache.
const FERMI: Device = Device {
    name: "fermi",
    sector: 32,
    line: 128,
    shared_per_multiprocessor: 48 * KIB,
    shared_per_block: 48 * KIB,
    shared_reserved: 0,
    shared_unit: 128,
    threads_per_block: 1024,
    warps_per_multiprocessor: 48,
    blocks_per_multiprocessor: 8,
    product: "Tesla C2050",
    rates: Rates { multiprocessors: 14, memory: 144, transfer: 8, single: 1_030, double: 515 },
};

/// V100 data sheet: 900 GB/s, 15.7 and 7.8 TFLOPS, PCIe 3.0 with 32 GB/s in both directions.
const SM_70: Device = Device {
    name: "sm_70",
    shared_per_multiprocessor: 96 * KIB,
    shared_per_block: 96 * KIB,
    shared_unit: 256,
    warps_per_multiprocessor: 64,
    blocks_per_multiprocessor: 32,
    product: "V100 SXM2",
    rates: Rates { multiprocessors: 80, memory: 900, transfer: 16, single: 15_700, double: 7_800 },
    ..FERMI
};

/// T4 data sheet: 320 GB/s, 8.1 TFLOPS, PCIe 3.0; a 32nd of it in double precision (Turing architecture paper).
const SM_75: Device = Device {
    name: "sm_75",
    shared_per_multiprocessor: 64 * KIB,
    shared_per_block: 64 * KIB,
    warps_per_multiprocessor: 32,
    blocks_per_multiprocessor: 16,
    product: "T4",
    rates: Rates { multiprocessors: 40, memory: 320, transfer: 16, single: 8_100, double: 253 },
    ..SM_70
};

/// A100 data sheet: 2039 GB/s, 19.5 and 9.7 TFLOPS, PCIe 4.0 with 64 GB/s in both directions.
const SM_80: Device = Device {
    name: "sm_80",
    shared_per_multiprocessor: 164 * KIB,
    shared_per_block: 163 * KIB,
    shared_reserved: KIB,
    shared_unit: 128,
    product: "A100 SXM 80 GB",
    rates: Rates { multiprocessors: 108, memory: 2_039, transfer: 32, single: 19_500, double: 9_700 },
    ..SM_70
};

/// A40 data sheet: 696 GB/s, 37.4 TFLOPS, PCIe 4.0; a 64th of it in double precision (GA102 architecture paper).
const SM_86: Device = Device {
    name: "sm_86",
    shared_per_multiprocessor: 100 * KIB,
    shared_per_block: 99 * KIB,
    warps_per_multiprocessor: 48,
    blocks_per_multiprocessor: 16,
    product: "A40",
    rates: Rates { multiprocessors: 84, memory: 696, transfer: 32, single: 37_400, double: 584 },
    ..SM_80
};

/// L40S data sheet: 864 GB/s, 91.6 TFLOPS, PCIe 4.0 with 64 GB/s in both directions; a 64th of it in double precision (Ada
/// architecture paper).
const SM_89: Device = Device {
    name: "sm_89",
    blocks_per_multiprocessor: 24,
    product: "L40S",
    rates: Rates { multiprocessors: 142, memory: 864, transfer: 32, single: 91_600, double: 1_431 },
    ..SM_86
};

/// H100 data sheet: 3.35 TB/s, 67 and 34 TFLOPS, PCIe 5.0 with 128 GB/s in both directions.
const SM_90: Device = Device {
    name: "sm_90",
    shared_per_multiprocessor: 228 * KIB,
    shared_per_block: 227 * KIB,
    product: "H100 SXM",
    rates: Rates { multiprocessors: 132, memory: 3_350, transfer: 64, single: 67_000, double: 34_000 },
    ..SM_80
};

/// B200 in the HGX data sheet: 8 TB/s, 80 and 40 TFLOPS; PCIe 5.0, as the hosts have that are sold with it.
const SM_100: Device = Device {
    name: "sm_100",
    product: "B200",
    rates: Rates { multiprocessors: 148, memory: 8_000, transfer: 64, single: 80_000, double: 40_000 },
    ..SM_90
};

/// RTX Blackwell architecture paper, RTX 5090: 1792 GB/s, 104.8 TFLOPS, PCIe 5.0; a 64th of it in double precision.
const SM_120: Device = Device {
    name: "sm_120",
    blocks_per_multiprocessor: 24,
    product: "RTX 5090",
    rates: Rates { multiprocessors: 170, memory: 1_792, transfer: 64, single: 104_800, double: 1_637 },
    ..SM_86
};

/// All that are known, the oldest first.
pub const MODELS: [&Device; 9] = [&FERMI, &SM_70, &SM_75, &SM_80, &SM_86, &SM_89, &SM_90, &SM_100, &SM_120];

/// A device that is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no device is called {0}; known are {known}", known = names())]
pub struct UnknownDevice(pub String);

fn names() -> String {
    MODELS.map(|device| device.name).join(", ")
}

impl Device {
    /// The device of this name.
    pub fn named(name: &str) -> Result<&'static Device, UnknownDevice> {
        let found = MODELS.into_iter().find(|device| device.name == name);
        found.ok_or_else(|| UnknownDevice(name.to_owned()))
    }

    /// Most threads that a multiprocessor holds.
    pub fn threads_per_multiprocessor(&self) -> u32 {
        self.warps_per_multiprocessor * super::WARP
    }

    /// Whether loads and stores are counted by the published formula, in lines, beside sectors.
    pub fn has_published_formula(&self) -> bool {
        self.name == FERMI.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shared memory of a multiprocessor and of a block in KiB, threads, warps and blocks of a multiprocessor.
    #[test]
    fn limits_of_the_generations() {
        let of = |name: &str| {
            let device = Device::named(name).ok()?;
            Some((
                device.shared_per_multiprocessor / KIB,
                device.shared_per_block / KIB,
                device.threads_per_multiprocessor(),
                device.warps_per_multiprocessor,
                device.blocks_per_multiprocessor,
            ))
        };
        assert_eq!(of("fermi"), Some((48, 48, 1536, 48, 8)));
        assert_eq!(of("sm_70"), Some((96, 96, 2048, 64, 32)));
        assert_eq!(of("sm_75"), Some((64, 64, 1024, 32, 16)));
        assert_eq!(of("sm_80"), Some((164, 163, 2048, 64, 32)));
        assert_eq!(of("sm_86"), Some((100, 99, 1536, 48, 16)));
        assert_eq!(of("sm_89"), Some((100, 99, 1536, 48, 24)));
        assert_eq!(of("sm_90"), Some((228, 227, 2048, 64, 32)));
        assert_eq!(of("sm_100"), Some((228, 227, 2048, 64, 32)));
        assert_eq!(of("sm_120"), Some((100, 99, 1536, 48, 24)));
    }

    #[test]
    fn what_a_block_gets_fits_into_a_multiprocessor() {
        for device in MODELS {
            let most = device.shared_per_block + device.shared_reserved;
            assert!(most <= device.shared_per_multiprocessor, "{}", device.name);
            assert!(device.threads_per_block <= device.threads_per_multiprocessor(), "{}", device.name);
        }
    }

    #[test]
    fn names_that_are_not_known_are_refused_with_those_that_are() {
        let error = Device::named("sm_91").map_err(|error| error.to_string());
        assert!(error.is_err_and(|text| text.contains("sm_91") && text.contains("fermi, sm_70")));
    }
}
