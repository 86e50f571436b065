// Compares imputed genotypes with the truth.
process HAPLOSPIN_EVALUATE {
    tag "$meta.id"
    label 'process_single'
    conda "${moduleDir}/../environment.yml"
    container 'haplospin'

    input:
    tuple val(meta), path(imputed), path(index), path(truth, stageAs: 'truth/*'), path(populations), path(study),
          path(study_index), path(panel)
    path par

    output:
    tuple val(meta), path("*.accuracy.tsv"), path("*.accuracy.json"), path("*.report.html"), emit: report
    tuple val(meta), path("*_mqc.json"), emit: multiqc
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: meta.id
    def populations_option = populations ? "--populations $populations" : ''
    def target_option = study ? "--target $study" : ''
    def par_option = par ? "--par $par" : ''
    """
    haplospin evaluate $args $populations_option $par_option \\
        --truth $truth \\
        --imputed $meta.id=$imputed \\
        --ref $panel \\
        $target_option \\
        --threads $task.cpus \\
        --tsv ${prefix}.accuracy.tsv \\
        --json ${prefix}.accuracy.json \\
        --multiqc $meta.id \\
        --report ${prefix}.report.html

    cat <<END > versions.yml
    "${task.process}":
        haplospin: \$(haplospin --version | sed -n 's/^haplospin //p')
    END
    """

    stub:
    def prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.accuracy.tsv ${prefix}.accuracy.json ${meta.id}.accuracy_mqc.json ${prefix}.report.html

    cat <<END > versions.yml
    "${task.process}":
        haplospin: stub
    END
    """
}
