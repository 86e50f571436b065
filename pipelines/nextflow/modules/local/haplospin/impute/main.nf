// Imputes one region of a study, for all samples or those of `samples`.
process HAPLOSPIN_IMPUTE {
    tag "$meta.id $meta.span"
    label 'process_medium'
    conda "${moduleDir}/../environment.yml"
    container 'haplospin'

    input:
    tuple val(meta), path(study, stageAs: 'input/*'), path(index, stageAs: 'input/*'), val(reads),
          path(sex), path(panel), path(map), val(samples)
    path par

    output:
    tuple val(meta), path("*.bcf"), emit: imputed
    path 'versions.yml', emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}.${meta.span}"
    def map_option = map ? "--map $map" : ''
    def sex_option = sex ? "--sex $sex" : ''
    def par_option = par ? "--par $par" : ''
    def target_option = reads ? "$reads.options --target-list reads.txt" : "--target $study"
    def samples_option = samples ? '--samples samples.txt' : ''
    """
    cat <<'END_OF_SAMPLES' > samples.txt
    ${samples.join('\n    ')}
    END_OF_SAMPLES
    cat <<'END_OF_READS' > reads.txt
    ${reads ? reads.lines.join('\n    ') : ''}
    END_OF_READS
    haplospin impute $args $map_option $sex_option $par_option $samples_option \\
        --ref $panel \\
        $target_option \\
        --region ${meta.contig}:${meta.span} \\
        --threads $task.cpus \\
        --out ${prefix}.bcf

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
