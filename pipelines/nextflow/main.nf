// Checks and corrects studies, imputes them region by region, joins the regions, and measures the accuracy if the truth
// is known. See README.md in this folder.
include { helpText; parameterErrors } from './parameters'
include { HAPLOSPIN_PANEL } from './modules/local/haplospin/panel/main'
include { HAPLOSPIN_CHECK } from './modules/local/haplospin/check/main'
include { HAPLOSPIN_REGIONS } from './modules/local/haplospin/regions/main'
include { HAPLOSPIN_IMPUTE } from './modules/local/haplospin/impute/main'
include { HAPLOSPIN_MERGE } from './modules/local/haplospin/merge/main'
include { HAPLOSPIN_CONCAT } from './modules/local/haplospin/concat/main'
include { HAPLOSPIN_EVALUATE } from './modules/local/haplospin/evaluate/main'
include { MULTIQC } from './modules/local/multiqc/main'

// Options of impute that the pipeline itself gives.
def ownOptions() {
    ['--ref', '-r', '--target', '-t', '--target-list', '--fasta', '--map', '-m', '--out', '-o', '--region', '--par',
     '--sex', '--samples', '--threads']
}

// Ends the run before the first job, with what is wrong.
def checkParameters() {
    if (params.help) {
        print helpText()
        System.exit(0)
    }
    def errors = parameterErrors(params)
    def words = "$params.options $params.read_options".tokenize().collect { it.replaceAll(/=.*/, '') }
    errors += ownOptions().findAll { it in words }.collect { "--options has $it, which the pipeline gives itself" }
    if (params.batch_size && ['--min-r2', '--pedigree'].any { it in words }) {
        errors << '--options has --min-r2 or --pedigree, which need all samples in one job; give --batch_size 0'
    }
    if (!errors && params.overlap_mb >= params.region_mb) {
        errors << "--overlap_mb is $params.overlap_mb, but must be less than --region_mb, $params.region_mb"
    }
    if (errors) error errors.join('\n')
}

// Returns the rows of a table. Relative paths are made absolute: they are relative to the folder of the table.
def readTable(name, required, optional) {
    def table = file(params[name])
    if (!table.exists()) error "--$name is '${params[name]}': there is no such file"
    def rows = table.splitCsv(header: true, strip: true)
    def columns = rows ? rows[0].keySet() : [] as Set
    def missing = required - columns
    def unknown = columns - required - optional
    if (!rows || missing || unknown) {
        error "--$name $table: expected a header and rows with ${required.join(', ')} and perhaps ${optional.join(', ')}" +
            (missing ? "; ${missing.join(', ')} is missing" : '') + (unknown ? "; ${unknown.join(', ')} is unknown" : '')
    }
    rows.each { row -> required.each { if (!row[it]) error "--$name $table: a row has no $it: ${row.values().join(',')}" } }
    rows.collect { row ->
        row.collectEntries { column, value ->
            def isRelative = value && !(column in ['study', 'contig']) && !value.startsWith('/') && !value.contains('://')
            [column, isRelative ? "$table.parent/$value".toString() : value]
        }
    }
}

// Returns the file that a table names for a contig, or nothing where the column is empty.
def fileOf(row, column, contig) {
    if (!row[column]) return []
    def found = file(row[column].replace('{contig}', contig))
    if (!found.exists()) error "$column of ${row.study ?: row.contig}: there is no file $found"
    found
}

// Returns the lines of a list of alignment files: a path, relative to the folder of the run, and perhaps a name.
def alignmentLines(row) {
    fileOf(row, 'bams', '').readLines()*.tokenize().findAll { it && !it[0].startsWith('#') }
}

// Returns the index of an alignment file.
def indexOf(row, reads) {
    def names = ['csi', 'bai', 'crai'].collectMany { ["${reads.name}.$it", "${reads.baseName}.$it"] }
    def found = names.collect { reads.resolveSibling(it) }.find { it.exists() }
    if (!found) error "bams of $row.study: $reads has no index; make one (samtools index)"
    found
}

// Returns how the jobs of a study name its alignment files, in the folder input; nothing for a study of genotypes.
def readsOf(row) {
    if (!row.bams) return []
    def fasta = row.fasta ? "--fasta input/${file(row.fasta).name}" : ''
    [options: "$fasta $params.read_options",
     lines: alignmentLines(row).collect { (["input/${file(it[0]).name}"] + it.drop(1)).join('\t') }]
}

// Returns the alignment files of a study with their indexes and the reference.
def alignmentFiles(row) {
    def reads = alignmentLines(row).collect { fileOf([study: row.study, bams: it[0]], 'bams', '') }
    def same = reads*.name.countBy { it }.findAll { it.value > 1 }.keySet()
    if (same) error "bams of $row.study: files of one name, ${same.join(', ')}; give links with names of their own"
    def fasta = row.fasta ? [row.fasta, "${row.fasta}.fai".toString()].collect { fileOf(row + [fasta: it], 'fasta', '') } : []
    reads + reads.collect { indexOf(row, it) } + fasta
}

// Returns the study; if it is a .bed of PLINK, also its .bim and .fam, and if it is reads, all of their files.
def studyFiles(row, contig) {
    if (!row.bams == !row.target) error "--input $params.input: $row.study needs either a target or bams"
    if (row.bams) return alignmentFiles(row)
    def study = fileOf(row, 'target', contig)
    study.extension == 'bed' ? ['bed', 'bim', 'fam'].collect {
        fileOf(row + [target: "${study.parent}/${study.baseName}.$it".toString()], 'target', contig)
    } : study
}

// Returns the samples of a study, in batches; [[]] for all of them in one.
def batchesOf(report) {
    if (!params.batch_size) return [[]]
    new groovy.json.JsonSlurper().parse(report.toFile()).per_sample*.sample.collate(params.batch_size)
}

def beginOf(span) {
    span.tokenize('-')[0] as long
}

workflow {
    checkParameters()
    def builds = ['auto', 'GRCh37', 'GRCh38', 'T2T-CHM13', 'none']
    def parOption = params.par in builds ? "--par $params.par" : ''
    def parFile = params.par in builds ? [] : file(params.par)
    if (parFile && !parFile.exists()) error "--par is '$params.par', but must be ${builds.join(', ')} or a file that exists"

    def wanted = params.contigs.toString().tokenize(', ')
    def panelRows = readTable('panel', ['contig', 'ref'], ['map'])
    def absent = wanted - panelRows*.contig
    if (absent) error "--contigs has ${absent.join(', ')}, which --panel $params.panel has not"
    panelRows = panelRows.findAll { !wanted || it.contig in wanted }
    def contigs = panelRows*.contig
    def studies = readTable('input', ['study'], ['target', 'bams', 'fasta', 'truth', 'populations', 'sex']).collectMany { row ->
        contigs.collect { contig ->
            def files = ['truth', 'populations', 'sex'].collectEntries { [it, fileOf(row, it, contig)] }
            [contig: contig, study: row.study, target: studyFiles(row, contig), reads: readsOf(row)] + files
        }
    }

    // Channels of a contig begin with its name, and those of a study's contig with its `meta`.
    maps = Channel.fromList(panelRows.collect { [it.contig, fileOf(it, 'map', it.contig)] })
    HAPLOSPIN_PANEL(Channel.fromList(panelRows.collect { row ->
        [[id: row.contig, contig: row.contig, par: parOption], fileOf(row, 'ref', row.contig),
         params.correct_phase ? fileOf(row, 'map', row.contig) : []]
    }), parFile)
    panels = HAPLOSPIN_PANEL.out.panel.map { meta, panel -> [meta.contig, panel] }
    HAPLOSPIN_REGIONS(HAPLOSPIN_PANEL.out.panel)
    spans = HAPLOSPIN_REGIONS.out.regions.map { meta, regions ->
        [meta.contig, regions.readLines().collect { it.tokenize('\t')[1] }]
    }

    studies = Channel.fromList(studies.collect { row ->
        [row.contig, [id: "$row.study.$row.contig", study: row.study, contig: row.contig, par: parOption], row]
    })
    HAPLOSPIN_CHECK(studies.combine(panels, by: 0).map { _contig, meta, row, panel ->
        [meta, row.target, row.reads, row.sex, panel]
    }, parFile)
    // The corrected copy of a study, or reads as they are.
    checked = HAPLOSPIN_CHECK.out.study.mix(studies.filter { it[2].reads }.map { _contig, meta, row -> [meta, row.target, []] })
    verdicts = HAPLOSPIN_CHECK.out.verdict.branch { _meta, verdict, _report ->
        good: verdict == '0'
        refused: true
    }
    refused(verdicts.refused)

    // One job for each region and batch of samples.
    batches = verdicts.good.map { meta, _verdict, report -> [meta, batchesOf(report)] }
    jobs = checked.join(batches).map { meta, study, index, lists -> [meta.contig, meta, study, index, lists] }
        .combine(panels, by: 0).combine(maps, by: 0).combine(spans, by: 0)
        .join(studies.map { contig, meta, row -> [contig, meta, row.sex, row.reads] }, by: [0, 1])
        .flatMap { _contig, meta, study, index, lists, panel, map, regions, sex, reads ->
            [regions, (0..<lists.size())].combinations().collect { span, batch ->
                def counts = [span: span, batch: batch, batches: lists.size(), regions: regions.size()]
                [meta + counts, study, index, reads, sex, panel, map, lists[batch]]
            }
        }
    HAPLOSPIN_IMPUTE(jobs, parFile)

    // All batches of a region, then all regions of a contig.
    regions = HAPLOSPIN_IMPUTE.out.imputed.branch { meta, _piece ->
        whole: meta.batches == 1
        parts: true
    }
    HAPLOSPIN_MERGE(regions.parts
        .map { meta, piece -> [groupKey(meta - [batch: meta.batch], meta.batches), [meta.batch, piece]] }
        .groupTuple().map { key, parts -> [key.target, parts.sort { it[0] }.collect { it[1] }] })
    HAPLOSPIN_CONCAT(regions.whole.mix(HAPLOSPIN_MERGE.out.merged)
        .map { meta, piece ->
            [groupKey(meta.subMap(['id', 'study', 'contig', 'par']), meta.regions), [beginOf(meta.span), piece]]
        }
        .groupTuple().map { key, pieces -> [key.target, pieces.sort { it[0] }.collect { it[1] }] })

    HAPLOSPIN_EVALUATE(HAPLOSPIN_CONCAT.out.imputed.join(checked)
        .map { meta, imputed, index, study, studyIndex -> [meta.contig, meta, imputed, index, study, studyIndex] }
        .combine(panels, by: 0).join(studies, by: [0, 1])
        .filter { it[-1].truth }
        .map { _contig, meta, imputed, index, study, studyIndex, panel, row ->
            def typed = row.reads ? [] : study
            [meta, imputed, index, row.truth, row.populations, typed, studyIndex, panel]
        }, parFile)

    versions = HAPLOSPIN_PANEL.out.versions.mix(HAPLOSPIN_REGIONS.out.versions, HAPLOSPIN_CHECK.out.versions,
        HAPLOSPIN_IMPUTE.out.versions, HAPLOSPIN_MERGE.out.versions, HAPLOSPIN_CONCAT.out.versions,
        HAPLOSPIN_EVALUATE.out.versions)
    if (!params.skip_multiqc) {
        MULTIQC(HAPLOSPIN_CHECK.out.multiqc.mix(HAPLOSPIN_EVALUATE.out.multiqc).map { _meta, report -> report }.collect(),
                file("$projectDir/../multiqc_config.yaml", checkIfExists: true))
        versions = versions.mix(MULTIQC.out.versions)
    }
    versions.map { it.text }.unique().collectFile(name: 'versions.yml', storeDir: "$params.outdir/pipeline_info", sort: true)
}

// Fails for a study that should not be imputed, after its report was kept, and lets the other studies go on.
process REFUSED {
    tag "$meta.id"
    label 'process_single'
    errorStrategy 'ignore'

    input:
    tuple val(meta), val(verdict), path(report)

    script:
    """
    echo "$meta.id should not be imputed: see $params.outdir/$meta.study/${meta.contig}.check.html" >&2
    exit $verdict
    """
}

workflow refused {
    take:
    verdicts

    main:
    verdicts.subscribe { meta, _verdict, report ->
        log.error "$meta.id: ${new groovy.json.JsonSlurper().parse(report.toFile()).verdict.text}"
    }
    REFUSED(verdicts)
}
