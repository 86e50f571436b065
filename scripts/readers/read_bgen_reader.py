"""bgen-reader. A man's row is filled up with nan.

needs: bgen-reader==4.0.9
reads: imputed.bgen phased.bgen
"""
import sys
import tempfile

from bgen_reader import create_metafile, read_bgen
from table import bgen_row

with tempfile.TemporaryDirectory() as folder:
    metafile = folder + "/metafile"
    create_metafile(sys.argv[1], metafile, verbose=False)
    file = read_bgen(sys.argv[1], metafile_filepath=metafile, verbose=False)
    for i, variant in file["variants"].compute().iterrows():
        genotype = file["genotype"][i].compute() if hasattr(file["genotype"][i], "compute") else file["genotype"][i]
        for person, sample in enumerate(file["samples"]):
            bgen_row(variant.chrom, variant.pos, variant.allele_ids, sample, genotype["probs"][person],
                     genotype["phased"])
