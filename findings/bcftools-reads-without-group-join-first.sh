#!/usr/bin/env bash
# bcftools 1.16-1 and samtools 1.16.1-1 (Debian 12), bcftools mpileup of a BAM file of two samples.
# One would guess that reads without a read group, or of one that the header does not declare, are left out or become
# a sample of their own. They count as reads of the first sample of the header, without a message, and that is the one
# of the first @RG line: with the lines exchanged, the same reads are the other sample's.
# It matters where files of several animals were merged, and some had no read groups: one of them gets the alleles.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p debs/partial
apt-get -qq install -y --reinstall --download-only -o Debug::NoLocking=1 -o Dir::Cache::archives="$folder/debs" \
  bcftools=1.16-1 samtools=1.16.1-1 libhts3=1.16+ds-3 >log 2>&1
for package in debs/*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=root/usr/lib/x86_64-linux-gnu

python3 -c '
import random
random.seed(1)
print(">1", "".join(random.choice("ACGT") for _ in range(200)), sep="\n")' >ref.fa
bases=$(sed -n 2p ref.fa | cut -c 51-100)
read_of() { printf '%s\t0\t1\t51\t60\t50M\t*\t0\t0\t%s\t%s%s\n' "$1" "$bases" "$(printf 'I%.0s' {1..50})" "$2"; }
seen=$(for order in 'a b' 'b a'; do
  {
    printf '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:1\tLN:200\n'
    for sample in $order; do printf '@RG\tID:%s\tSM:%s\n' "$sample" "$sample"; done
    read_of r1 '\tRG:Z:a' | sed 's/\\t/\t/'
    read_of r2 '\tRG:Z:b' | sed 's/\\t/\t/'
    read_of r3 ''
    read_of r4 '\tRG:Z:unknown' | sed 's/\\t/\t/'
  } | root/usr/bin/samtools view -b -o in.bam -
  root/usr/bin/samtools index in.bam
  root/usr/bin/bcftools mpileup -B -f ref.fa -a AD -r 1:75 in.bam 2>>log |
    root/usr/bin/bcftools query -f "header $order:[ %SAMPLE has %AD{0} reads]\n"
done)
echo "$seen"
grep -i group log || true
expected='header a b: a has 3 reads b has 1 reads
header b a: b has 3 reads a has 1 reads'
[[ $seen == "$expected" ]] || { echo "this has changed"; exit 1; }
