// The parameters as nextflow_schema.json describes them.
def parameterGroups() {
    new groovy.json.JsonSlurper().parseText(file("$projectDir/nextflow_schema.json").text)['$defs'].values()
}

// Returns the text of --help.
def helpText() {
    def text = 'Usage: nextflow run pipelines/nextflow --input studies.csv --panel panel.csv --outdir results\n'
    parameterGroups().each { group ->
        text += "\n${group.title}:\n"
        group.properties.each { name, property ->
            def shown = property.containsKey('default') && !(property.default in ['', false]) ? " [$property.default]" : ''
            def required = name in group.required ? ' (required)' : ''
            text += "  --${name.padRight(18)}${property.description}$required$shown\n"
        }
    }
    text
}

// Returns what is wrong with the parameters, a line for each.
def parameterErrors(given) {
    def properties = parameterGroups().collectEntries { group -> group.properties }
    def required = parameterGroups().collectMany { group -> group.required ?: [] }
    def unknown = (given.keySet() - properties.keySet()).collect { name -> "--$name: there is no such parameter (see --help)" }
    def missing = required.findAll { name -> !given[name] }.collect { name -> "--$name is missing: ${properties[name].description}" }
    def wrong = properties.findAll { name, _property -> given[name] != null && given[name] != '' }.collect { name, property ->
        def expected = expectedValue(property, given[name])
        expected ? "--$name is '${given[name]}', but must be $expected" : null
    }
    unknown + missing + wrong.findAll()
}

// Returns what the value should be, or nothing if it is.
def expectedValue(property, value) {
    if (property.type == 'boolean') return value instanceof Boolean ? null : 'true or false'
    if (property.type == 'integer') {
        return value instanceof Integer && value >= property.minimum ? null : "a whole number, $property.minimum or more"
    }
    if (property.type == 'number') {
        def above = property.exclusiveMinimum
        def isGood = value instanceof Number && (above == null ? value >= property.minimum : value > above)
        return isGood ? null : "a number, ${above == null ? "$property.minimum or more" : "more than $above"}"
    }
    def choices = property['enum']
    if (choices && !(value.toString() in choices)) return "one of ${choices.join(', ')}"
    if (property.pattern && !(value.toString() ==~ property.pattern)) return "as in '$property.default'"
    null
}
