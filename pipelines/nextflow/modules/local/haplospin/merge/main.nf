// Merges the batches of samples of one region, with DR2 of all samples.
process HAPLOSPIN_MERGE {
    tag "$meta.id $meta.span"
    label 'process_low'
    conda "${moduleDir}/../environment.yml"
    container 'haplospin'

    input:
    tuple val(meta), path(batches, stageAs: 'input/*')

    output:
    tuple val(meta), path("*.bcf"), emit: merged
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}.${meta.span}"
    """
    haplospin merge $args \\
        --threads $task.cpus \\
        --out ${prefix}.bcf \\
        $batches

    cat <<END > versions.yml
    "${task.process}":
        haplospin: \$(haplospin --version | sed -n 's/^haplospin //p')
    END
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}.${meta.span}"
    """
    touch ${prefix}.bcf

    cat <<END > versions.yml
    "${task.process}":
        haplospin: stub
    END
    """
}
