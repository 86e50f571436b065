// Checks and corrects a study, imputes it region by region, joins the regions, and measures the accuracy if the truth
// is known. See README.md in this folder.
nextflow.enable.dsl = 2

def settings = ['contigs', 'ref', 'target', 'map', 'truth', 'populations', 'out', 'haplospin', 'correct_phase',
                'options', 'region_mb', 'overlap_mb', 'threads', 'memory', 'time']
def unknown = params.keySet() - settings
if (unknown) {
    error "unknown parameter: ${unknown.join(', ')}; nextflow.config lists all parameters"
}

// Returns the file of a contig: {contig} in the parameter stands for its name.
def fileOf(name, contig) {
    file(params[name].replace('{contig}', contig), checkIfExists: true)
}

// Returns the file of a contig, or nothing if the parameter is empty.
def optionalFileOf(name, contig) {
    params[name] ? fileOf(name, contig) : []
}

// Returns the study; if it is a .bed of PLINK, also its .bim and .fam.
def studyOf(contig) {
    def study = fileOf('target', contig)
    study.extension == 'bed' ? ['bed', 'bim', 'fam'].collect {
        file("${study.parent}/${study.baseName}.$it", checkIfExists: true)
    } : study
}

process PANEL {
    tag "$contig"

    input:
    tuple val(contig), path(ref, stageAs: 'input/*'), path(map)

    output:
    tuple val(contig), path("${contig}.hsp")

    script:
    def phaseOption = params.correct_phase ? '--correct-phase' : ''
    def mapOption = map ? "--map $map" : ''
    """
    $params.haplospin panel build --panel $ref --contig $contig $phaseOption $mapOption --threads $task.cpus \\
      --out ${contig}.hsp
    """
}

process CHECK {
    tag "$contig"
    publishDir params.out, mode: 'copy', pattern: '*.check.*'

    input:
    tuple val(contig), path(panel), path(target, stageAs: 'input/*')

    output:
    tuple val(contig), path("${contig}.study.bcf"), path("${contig}.study.bcf.csi"), emit: study
    path "${contig}.check.html"
    path "${contig}.check.txt"

    script:
    def study = target instanceof List ? target[0] : target
    """
    $params.haplospin check --ref $panel --target $study --contig $contig --html ${contig}.check.html \\
      --fix ${contig}.study.bcf --threads $task.cpus > ${contig}.check.txt
    """
}

// Writes lines with the contig and FROM-TO.
process SPLIT {
    tag "$contig"

    input:
    tuple val(contig), path(panel)

    output:
    tuple val(contig), path('regions')

    script:
    """
    $params.haplospin panel regions --panel $panel --contig $contig --size $params.region_mb \\
      --overlap $params.overlap_mb > regions
    """
}

process IMPUTE {
    tag "$contig:$span"

    input:
    tuple val(contig), val(span), path(panel), path(study), path(index), path(map)

    output:
    tuple val(contig), path("${contig}.${span}.bcf")

    script:
    def mapOption = map ? "--map $map" : ''
    """
    $params.haplospin impute --ref $panel --target $study $mapOption --region $contig:$span $params.options \\
      --threads $task.cpus --out ${contig}.${span}.bcf
    """
}

process CONCAT {
    tag "$contig"
    publishDir params.out, mode: 'copy'

    input:
    tuple val(contig), path(pieces)

    output:
    tuple val(contig), path("${contig}.bcf"), path("${contig}.bcf.csi")

    script:
    def ligate = params.overlap_mb ? '--ligate' : ''
    """
    $params.haplospin concat $ligate --out ${contig}.bcf --write-index $pieces
    """
}

process EVALUATE {
    tag "$contig"
    publishDir params.out, mode: 'copy'

    input:
    tuple val(contig), path(imputed), path(index), path(truth, stageAs: 'truth/*'), path(panel), path(study),
          path(studyIndex), path(populations)

    output:
    path "${contig}.accuracy.tsv"
    path "${contig}.accuracy.json"
    path "${contig}.report.html"

    script:
    def populationsOption = populations ? "--populations $populations" : ''
    """
    $params.haplospin evaluate --truth $truth --imputed $imputed --ref $panel --target $study $populationsOption \\
      --threads $task.cpus --tsv ${contig}.accuracy.tsv --json ${contig}.accuracy.json --report ${contig}.report.html
    """
}

// Returns the first position of a region.
def beginOf(piece, contig) {
    piece.name.substring(contig.length() + 1).tokenize('-')[0] as long
}

workflow {
    contigs = Channel.fromList(params.contigs.toString().tokenize(', '))
    panel = PANEL(contigs.map { [it, fileOf('ref', it), params.correct_phase ? optionalFileOf('map', it) : []] })
    study = CHECK(panel.map { contig, hsp -> [contig, hsp, studyOf(contig)] }).study
    spans = SPLIT(panel).flatMap { contig, regions -> regions.readLines().collect { [contig, it.tokenize('\t')[1]] } }
    pieces = IMPUTE(spans.combine(panel.join(study), by: 0).map { contig, span, hsp, bcf, csi ->
        [contig, span, hsp, bcf, csi, optionalFileOf('map', contig)]
    })
    imputed = CONCAT(pieces.groupTuple().map { contig, files -> [contig, files.sort { beginOf(it, contig) }] })
    if (params.truth) {
        EVALUATE(imputed.join(panel).join(study).map { contig, bcf, csi, hsp, studyBcf, studyCsi ->
            [contig, bcf, csi, fileOf('truth', contig), hsp, studyBcf, studyCsi,
             params.populations ? file(params.populations, checkIfExists: true) : []]
        })
    }
}
