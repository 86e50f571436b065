"""cbgen. A man's row is filled up with nan.

needs: cbgen==1.0.6
reads: imputed.bgen phased.bgen
"""
import sys
import tempfile

from cbgen import bgen_file, bgen_metafile
from table import bgen_row

with tempfile.TemporaryDirectory() as folder, bgen_file(sys.argv[1]) as file:
    file.create_metafile(folder + "/metafile")
    samples = [name.decode() for name in file.read_samples()]
    with bgen_metafile(folder + "/metafile") as metafile:
        for k in range(metafile.npartitions):
            variants = metafile.read_partition(k).variants
            for i, offset in enumerate(variants.offset):
                genotype = file.read_genotype(offset)
                for person, sample in enumerate(samples):
                    bgen_row(variants.chromosome[i].decode(), variants.position[i], variants.allele_ids[i].decode(), sample,
                             genotype.probability[person], genotype.phased)
