// Lists the regions of a contig: lines with the contig and FROM-TO.
process HAPLOSPIN_REGIONS {
    tag "$meta.id"
    label 'process_single'
    conda "${moduleDir}/../environment.yml"
    container 'haplospin'

    input:
    tuple val(meta), path(panel)

    output:
    tuple val(meta), path("*.regions"), emit: regions
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: meta.id
    """
    haplospin panel regions $args \\
        --panel $panel \\
        --contig $meta.contig > ${prefix}.regions

    cat <<END > versions.yml
    "${task.process}":
        haplospin: \$(haplospin --version | sed -n 's/^haplospin //p')
    END
    """

    stub:
    def prefix = task.ext.prefix ?: meta.id
    """
    printf '${meta.contig}\\t1-1000\\n${meta.contig}\\t1001-\\n' > ${prefix}.regions

    cat <<END > versions.yml
    "${task.process}":
        haplospin: stub
    END
    """
}
