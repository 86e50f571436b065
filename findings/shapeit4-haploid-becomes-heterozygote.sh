#!/usr/bin/env bash
# SHAPEIT4 4.2.2 (Debian 12, shapeit4 4.2.2+dfsg-1+b1).
# One would guess that a haploid genotype (a man on chromosome X) is kept haploid, made 1|1, or refused. It becomes a
# heterozygote: 1 comes out as 0|1 at some sites and 1|0 at others, 0 as 0|0, so that a man who has the allele looks
# like a carrier whose alleles are spread over two haplotypes.
# It matters for a panel or study of X: half of the ALT alleles of men become REF on a second haplotype that does not
# exist, and the allele frequency falls, without a message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  shapeit4=4.2.2+dfsg-1+b1 bcftools=1.16-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu

python3 - >in.vcf <<'END'
import random
draw = random.Random(2)
people = 30
print("##fileformat=VCFv4.2", "##contig=<ID=X,length=1000000>",
      '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
      '##INFO=<ID=AC,Number=A,Type=Integer,Description="Count">',
      '##INFO=<ID=AN,Number=1,Type=Integer,Description="Number">',
      "\t".join("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".split() + [f"s{p}" for p in range(people)]), sep="\n")
founders = [[draw.randrange(2) for _ in range(60)] for _ in range(6)]
pairs = [(draw.choice(founders), draw.choice(founders)) for _ in range(people)]
for k in range(60):
    # The first sample is a man.
    calls = [str(a[k]) if p == 0 else f"{min(a[k], b[k])}/{max(a[k], b[k])}" for p, (a, b) in enumerate(pairs)]
    info = f"AC={sum(call.count('1') for call in calls)};AN={2 * people - 1}"
    print("X", 5000 * (k + 1), ".", "A", "C", ".", "PASS", info, "GT", *calls, sep="\t")
END
root/usr/bin/bcftools view -Ob -o in.bcf in.vcf
root/usr/bin/bcftools index in.bcf
root/usr/bin/shapeit4 --input in.bcf --region X --output out.vcf --seed 1 --thread 1 >>log 2>&1
seen=$(paste <(grep -v '^#' in.vcf | cut -f 10) <(grep -v '^#' out.vcf | cut -f 10) | sort | uniq -c |
  awk '{ print $2, "became", $3 }')
echo "$seen"
expected='0 became 0|0
1 became 0|1
1 became 1|0'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
