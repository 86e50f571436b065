// One page of the checks and accuracies of all studies and contigs.
process MULTIQC {
    label 'process_single'
    conda 'bioconda::multiqc=1.35'
    container 'quay.io/biocontainers/multiqc:1.35--pyhdfd78af_0'

    input:
    path 'input/*'
    path config

    output:
    path 'multiqc_report.html', emit: report
    path 'multiqc_data', emit: data
    path 'versions.yml', emit: versions

    script:
    def args = task.ext.args ?: ''
    """
    multiqc --force --config $config $args input

    cat <<END > versions.yml
    "${task.process}":
        multiqc: \$(multiqc --version | sed 's/.* //')
    END
    """

    stub:
    """
    mkdir multiqc_data
    touch multiqc_report.html versions.yml
    """
}
