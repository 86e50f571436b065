// Joins the regions of a contig, in the order in which they are given.
process HAPLOSPIN_CONCAT {
    tag "$meta.id"
    label 'process_low'
    conda "${moduleDir}/../environment.yml"
    container 'haplospin'

    input:
    tuple val(meta), path(pieces, stageAs: 'input/*')

    output:
    tuple val(meta), path("*.bcf"), path("*.bcf.csi"), emit: imputed
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: meta.id
    """
    haplospin concat $args \\
        --threads $task.cpus \\
        --write-index \\
        --out ${prefix}.bcf \\
        $pieces

    cat <<END > versions.yml
    "${task.process}":
        haplospin: \$(haplospin --version | sed -n 's/^haplospin //p')
    END
    """

    stub:
    def prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.bcf ${prefix}.bcf.csi

    cat <<END > versions.yml
    "${task.process}":
        haplospin: stub
    END
    """
}
