// Converts one contig of a panel to a panel file.
process HAPLOSPIN_PANEL {
    tag "$meta.id"
    label 'process_medium'
    conda "${moduleDir}/../environment.yml"
    container 'haplospin'

    input:
    tuple val(meta), path(ref, stageAs: 'input/*'), path(map)
    path par

    output:
    tuple val(meta), path("*.hsp"), emit: panel
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: meta.id
    def map_option = map ? "--map $map" : ''
    def par_option = par ? "--par $par" : ''
    """
    haplospin panel build $args $map_option $par_option \\
        --panel $ref \\
        --contig $meta.contig \\
        --threads $task.cpus \\
        --out ${prefix}.hsp

    cat <<END > versions.yml
    "${task.process}":
        haplospin: \$(haplospin --version | sed -n 's/^haplospin //p')
    END
    """

    stub:
    def prefix = task.ext.prefix ?: meta.id
    """
    touch ${prefix}.hsp

    cat <<END > versions.yml
    "${task.process}":
        haplospin: stub
    END
    """
}
