// Imputes a study contig by contig, and measures the accuracy where the truth is known. See README.md beside this file.
nextflow.enable.dsl = 2

// The file of a contig: {contig} in the parameter stands for its name.
def fileOf(name, contig) {
    file(params[name].replace('{contig}', contig), checkIfExists: true)
}

// As above, or nothing where the parameter is empty.
def optionalFileOf(name, contig) {
    params[name] ? fileOf(name, contig) : []
}

process IMPUTE {
    tag "$contig"
    publishDir params.out, mode: 'copy'

    input:
    tuple val(contig), path(ref), path(target), path(map)

    output:
    tuple val(contig), path("${contig}.bcf"), path("${contig}.bcf.csi")

    script:
    def mapOption = map ? "--map $map" : ''
    """
    $params.haplospin impute --ref $ref --target $target $mapOption --region $contig $params.options \\
      --threads $task.cpus --out ${contig}.bcf --write-index
    """
}

process EVALUATE {
    tag "$contig"
    publishDir params.out, mode: 'copy'

    input:
    tuple val(contig), path(imputed), path(index), path(truth), path(ref), path(target)

    output:
    path "${contig}.accuracy.tsv"
    path "${contig}.accuracy.json"

    script:
    """
    $params.haplospin evaluate --truth $truth --imputed $imputed --ref $ref --target $target \\
      --threads $task.cpus --tsv ${contig}.accuracy.tsv --json ${contig}.accuracy.json
    """
}

workflow {
    contigs = Channel.fromList(params.contigs.tokenize(','))
    imputed = IMPUTE(contigs.map { [it, fileOf('ref', it), fileOf('target', it), optionalFileOf('map', it)] })
    if (params.truth) {
        EVALUATE(imputed.map { contig, bcf, csi ->
            [contig, bcf, csi, fileOf('truth', contig), fileOf('ref', contig), fileOf('target', contig)]
        })
    }
}
