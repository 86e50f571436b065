"""sgkit, through bio2zarr, which makes VCF Zarr of VCF and BCF with an index.

needs: bio2zarr==0.2.1 cyvcf2==0.35.0 sgkit==0.8.0
reads: imputed.vcf.gz imputed.bcf
"""
import subprocess
import sys
import tempfile
from pathlib import Path

import sgkit
from table import allele_list, numbers, row

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([Path(sys.executable).parent / "vcf2zarr", "convert", "-Q", "-p", "0", sys.argv[1], folder + "/vcz"],
                   check=True)
    data = sgkit.load_dataset(folder + "/vcz").load()


def field(name, record, person):
    name = "call_" + name
    return numbers(data[name].values[record, person].reshape(-1)) if name in data else "."


contigs, alleles, calls = data.contig_id.values, data.variant_allele.values, data.call_genotype.values
for i, position in enumerate(data.variant_position.values):
    ref, *alts = [allele for allele in alleles[i] if allele]
    for person, sample in enumerate(data.sample_id.values):
        # -1 is a missing allele, -2 one that is not there.
        row(contigs[data.variant_contig.values[i]], position, ref, ",".join(alts) or ".", sample,
            allele_list(allele for allele in calls[i, person] if allele != -2),
            "|" if data.call_genotype_phased.values[i, person] else "/",
            *(field(name, i, person) for name in ("DS", "GP", "HDS", "LDS")),
            numbers(data.variant_DR2.values[i].reshape(-1)))
