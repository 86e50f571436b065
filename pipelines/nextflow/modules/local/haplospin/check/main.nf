// Checks a study against a panel and writes a corrected copy, unless it is reads. A study that should not be imputed is not an error here, so
// that its report is kept: `verdict` is 3, the exit code of haplospin.
process HAPLOSPIN_CHECK {
    tag "$meta.id"
    label 'process_medium'
    conda "${moduleDir}/../environment.yml"
    container 'haplospin'

    input:
    tuple val(meta), path(target, stageAs: 'input/*'), val(reads), path(sex), path(panel)
    path par

    output:
    tuple val(meta), path("*.study.bcf"), path("*.study.bcf.csi"), emit: study, optional: true
    tuple val(meta), env('verdict'), path("*.check.json"), emit: verdict
    tuple val(meta), path("*.check.html"), path("*.check.txt"), emit: report
    tuple val(meta), path("*_mqc.json"), emit: multiqc
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: meta.id
    def study = target instanceof List ? target[0] : target
    def target_option = reads ? "$reads.options --target-list reads.txt" : "--target $study"
    def fix_option = reads ? '' : "--fix ${prefix}.study.bcf"
    def sex_option = sex ? "--sex $sex" : ''
    def par_option = par ? "--par $par" : ''
    """
    verdict=0
    cat <<'END_OF_READS' > reads.txt
    ${reads ? reads.lines.join('\n    ') : ''}
    END_OF_READS
    haplospin check $args $sex_option $par_option \\
        --ref $panel \\
        $target_option \\
        --contig $meta.contig \\
        --threads $task.cpus \\
        --html ${prefix}.check.html \\
        --json ${prefix}.check.json \\
        --multiqc $meta.id \\
        $fix_option > ${prefix}.check.txt || verdict=\$?
    [ \$verdict -eq 0 ] || [ \$verdict -eq 3 ] || exit \$verdict

    cat <<END > versions.yml
    "${task.process}":
        haplospin: \$(haplospin --version | sed -n 's/^haplospin //p')
    END
    """

    stub:
    def prefix = task.ext.prefix ?: meta.id
    """
    verdict=0
    ${reads ? '' : "touch ${prefix}.study.bcf ${prefix}.study.bcf.csi"}
    touch ${prefix}.check.html ${prefix}.check.txt ${meta.id}.check_mqc.json
    echo '{"verdict": {"text": "stub"}, "per_sample": [{"sample": "S1"}, {"sample": "S2"}]}' > ${prefix}.check.json

    cat <<END > versions.yml
    "${task.process}":
        haplospin: stub
    END
    """
}
