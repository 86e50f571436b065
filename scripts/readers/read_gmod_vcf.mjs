// @gmod/vcf (JBrowse).
//
// needs: @gmod/vcf@7.2.0
// reads: imputed.vcf
import { readFileSync } from 'fs'
import VcfParser from '@gmod/vcf'

const lines = readFileSync(process.argv[2], 'utf8').trimEnd().split('\n')
const header = lines.filter(line => line.startsWith('#')).join('\n')
const parser = new VcfParser({ header })

/** Values without the missing ones at the end. */
function join(values) {
  const texts = (values ?? []).map(value => (value === undefined || value === null ? '.' : String(value)))
  while (texts.at(-1) === '.') texts.pop()
  return texts.join(',') || '.'
}

for (const line of lines.filter(line => !line.startsWith('#'))) {
  const record = parser.parseLine(line)
  const samples = record.SAMPLES()
  for (const name of parser.samples) {
    const call = samples[name]
    const gt = call.GT?.[0] ?? '.'
    const alleles = gt.split(/[|/]/)
    const phase = alleles.length < 2 ? '?' : gt.includes('|') ? '|' : '/'
    console.log([record.CHROM, record.POS, record.REF, record.ALT?.join(',') ?? '.', name, alleles.join(','), phase,
                 ...['DS', 'GP', 'HDS', 'LDS'].map(field => join(call[field])), join(record.INFO.DR2)].join('\t'))
  }
}
