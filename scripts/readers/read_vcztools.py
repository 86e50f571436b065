"""vcztools, which writes VCF of the VCF Zarr that bio2zarr makes; three decimals of a number.

needs: vcztools==0.2.0 bio2zarr==0.2.1 cyvcf2==0.35.0
reads: imputed.vcf.gz imputed.bcf
tolerance: 0.00051
"""
import subprocess
import sys
import tempfile
from pathlib import Path

programs, readers = Path(sys.executable).parent, Path(__file__).parent
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([programs / "vcf2zarr", "convert", "-Q", sys.argv[1], folder + "/vcz"], check=True)
    subprocess.run([programs / "vcztools", "view", folder + "/vcz", "-o", folder + "/out.vcf"], check=True)
    subprocess.run([sys.executable, readers / "meant.py", folder + "/out.vcf"], check=True)
