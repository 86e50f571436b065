//! noodles, in Rust alone. A record's samples are read by the names that the header declares.
//!
//! needs: noodles-vcf@=0.96.0 noodles-bcf@=0.94.0 noodles-bgzf
//! reads: imputed.vcf imputed.vcf.gz imputed.bcf
use noodles_vcf::variant::record::samples::series::value::genotype::Phasing;
use noodles_vcf::variant::record_buf::info::field::{value::Array as InfoArray, Value as InfoValue};
use noodles_vcf::variant::record_buf::samples::sample::value::Array;
use noodles_vcf::variant::record_buf::samples::sample::{Sample, Value};
use noodles_vcf::variant::RecordBuf;
use std::fs::File;
use std::io::BufReader;

const FIELDS: [&str; 4] = ["DS", "GP", "HDS", "LDS"];

/// Values without the missing ones at the end.
fn join(values: &[Option<f32>]) -> String {
    let end = values.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    if end == 0 {
        return ".".into();
    }
    let text = |value: &Option<f32>| value.map_or(".".into(), |value| value.to_string());
    values[..end].iter().map(text).collect::<Vec<String>>().join(",")
}

fn field(sample: &Sample, name: &str) -> String {
    match sample.get(name).flatten() {
        Some(Value::Float(value)) => value.to_string(),
        Some(Value::Array(Array::Float(values))) => join(values),
        None => ".".into(),
        other => format!("{other:?}"),
    }
}

fn quality(record: &RecordBuf) -> String {
    match record.info().get("DR2").flatten() {
        Some(InfoValue::Float(value)) => value.to_string(),
        Some(InfoValue::Array(InfoArray::Float(values))) => join(values),
        None => ".".into(),
        other => format!("{other:?}"),
    }
}

/// The columns of alleles and phase.
fn call(sample: &Sample) -> String {
    let Some(Value::Genotype(genotype)) = sample.get("GT").flatten() else {
        return ".\t?".into();
    };
    let alleles = genotype.as_ref();
    let texts: Vec<String> =
        alleles.iter().map(|allele| allele.position().map_or(".".into(), |index| index.to_string())).collect();
    let phase = match alleles.last() {
        _ if alleles.len() < 2 => "?",
        Some(allele) if allele.phasing() == Phasing::Phased => "|",
        _ => "/",
    };
    format!("{}\t{}", texts.join(","), phase)
}

fn print(header: &noodles_vcf::Header, record: &RecordBuf) {
    let alts = record.alternate_bases().as_ref().join(",");
    for (person, name) in header.sample_names().iter().enumerate() {
        let sample = record.samples().get_index(person).unwrap();
        let values: Vec<String> = FIELDS.iter().map(|name| field(&sample, name)).collect();
        println!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            record.reference_sequence_name(),
            record.variant_start().unwrap(),
            record.reference_bases(),
            if alts.is_empty() { "." } else { &alts },
            name,
            call(&sample),
            values.join("\t"),
            quality(record)
        );
    }
}

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let file = File::open(&path).unwrap();
    if path.ends_with(".bcf") {
        let mut reader = noodles_bcf::io::Reader::new(file);
        let header = reader.read_header().unwrap();
        for record in reader.record_bufs(&header) {
            print(&header, &record.unwrap());
        }
    } else if path.ends_with(".gz") {
        let mut reader = noodles_vcf::io::Reader::new(noodles_bgzf::io::Reader::new(file));
        let header = reader.read_header().unwrap();
        for record in reader.record_bufs(&header) {
            print(&header, &record.unwrap());
        }
    } else {
        let mut reader = noodles_vcf::io::Reader::new(BufReader::new(file));
        let header = reader.read_header().unwrap();
        for record in reader.record_bufs(&header) {
            print(&header, &record.unwrap());
        }
    }
}
