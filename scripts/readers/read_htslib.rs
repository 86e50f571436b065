//! rust-htslib, whose HTSlib is compiled with it.
//!
//! needs: --no-default-features rust-htslib@=1.0.2
//! reads: imputed.vcf imputed.vcf.gz imputed.bcf
use rust_htslib::bcf::record::GenotypeAllele;
use rust_htslib::bcf::{Read, Reader, Record};

const FIELDS: [&str; 4] = ["DS", "GP", "HDS", "LDS"];

/// Values without the missing ones at the end.
fn join(values: &[f32]) -> String {
    let end = values.iter().rposition(|value| !value.is_nan()).map_or(0, |last| last + 1);
    if end == 0 {
        return ".".into();
    }
    let text = |value: &f32| if value.is_nan() { ".".into() } else { value.to_string() };
    values[..end].iter().map(text).collect::<Vec<String>>().join(",")
}

fn field(record: &Record, name: &str, person: usize) -> String {
    record.format(name.as_bytes()).float().map_or(".".into(), |values| join(values[person]))
}

fn main() {
    let mut reader = Reader::from_path(std::env::args().nth(1).unwrap()).unwrap();
    let samples: Vec<String> =
        reader.header().samples().iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    for record in reader.records() {
        let record = record.unwrap();
        let contig = record.header().rid2name(record.rid().unwrap()).unwrap();
        let alleles: Vec<String> =
            record.alleles().iter().map(|allele| String::from_utf8_lossy(allele).into_owned()).collect();
        let alts = if alleles.len() > 1 { alleles[1..].join(",") } else { ".".into() };
        let quality = record.info(b"DR2").float().unwrap().map_or(".".into(), |values| join(&values));
        for (person, sample) in samples.iter().enumerate() {
            let genotype = record.genotypes().unwrap().get(person);
            let calls: Vec<String> = genotype
                .iter()
                .map(|allele| match allele.index() {
                    Some(index) => index.to_string(),
                    None => ".".into(),
                })
                .collect();
            let phase = match genotype.last() {
                _ if genotype.len() < 2 => "?",
                Some(GenotypeAllele::Phased(_)) | Some(GenotypeAllele::PhasedMissing) => "|",
                _ => "/",
            };
            let values: Vec<String> = FIELDS.iter().map(|name| field(&record, name, person)).collect();
            println!(
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                String::from_utf8_lossy(contig), record.pos() + 1, alleles[0], alts, sample, calls.join(","), phase,
                values.join("\t"), quality
            );
        }
    }
}
