#!/usr/bin/env bash
# cbgen 1.0.6 (PyPI), read_genotype() of a BGEN 1.2 file without compression; beside it bgen 1.10.3 (PyPI).
# One would guess that all three ways to store genotypes that the format has (none, zlib, zstd) are read. The same
# genotypes are read where zlib compressed them. Where they are not compressed, header and variants are read, but no
# genotype is: the messages say that the file ends too early, or that phased genotypes have no ploidy. bgen reads both
# files alike.
# It matters because the message blames the file, and because bgen-reader and what is built on it use cbgen.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m pip install -q --target python cbgen==1.0.6 bgen==1.10.3 2>log

cat >run.py <<'END'
import struct, zlib
import bgen, cbgen

text = lambda word, form="<H": struct.pack(form, len(word)) + word.encode()
probabilities = [0.1, 0.7, 0.25, 0.5, 0, 0, 1, 0]  # of no and one ALT allele, for four people

def write(path, compression):
    genotypes = struct.pack("<IHBB4BBB", 4, 2, 2, 2, 2, 2, 2, 2, 0, 16)
    genotypes += b"".join(struct.pack("<H", round(65535 * p)) for p in probabilities)
    packed = zlib.compress(genotypes)
    block = struct.pack("<II", len(packed) + 4, len(genotypes)) + packed if compression else \
        struct.pack("<I", len(genotypes)) + genotypes
    variant = text("v1") + text("rs1") + text("1") + struct.pack("<IH", 100, 2) + text("A", "<I") + text("C", "<I")
    names = b"".join(text(f"s{i}") for i in range(4))
    samples = struct.pack("<II", len(names) + 8, 4) + names
    with open(path, "wb") as out:
        out.write(struct.pack("<IIII", 20 + len(samples), 20, 1, 4) + b"bgen")
        out.write(struct.pack("<I", compression | 2 << 2 | 1 << 31) + samples + variant + block)

for path, compression in (("zlib.bgen", 1), ("none.bgen", 0)):
    write(path, compression)
    with bgen.BgenReader(path, delay_parsing=False) as file:
        print(path, "bgen", *(f"{p:.2f}" for variant in file for p in variant.probabilities[0]))
    file = cbgen.bgen_file(path)
    file.create_metafile(path + ".metafile", verbose=False)
    with cbgen.bgen_metafile(path + ".metafile") as variants:
        offset = int(variants.read_partition(0).variants.offset[0])
    try:
        print(path, "cbgen", *(f"{p:.2f}" for p in file.read_genotype(offset).probability[0]))
    except RuntimeError as error:
        print(path, "cbgen", str(error).split(" (")[0])
END
seen=$(PYTHONPATH=python python3 run.py 2>messages)
echo "$seen"
cat messages
expected='zlib.bgen bgen 0.10 0.70 0.20
zlib.bgen cbgen 0.10 0.70 0.20
none.bgen bgen 0.10 0.70 0.20
none.bgen cbgen Could not open genotype'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
