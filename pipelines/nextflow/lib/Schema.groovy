import groovy.json.JsonSlurper

// The parameters as nextflow_schema.json describes them.
class Schema {
    private final Map groups

    Schema(path) {
        groups = new JsonSlurper().parseText(path.text)['$defs'] as Map
    }

    // The text of --help.
    String help() {
        def text = 'Usage: nextflow run pipelines/nextflow --input studies.csv --panel panel.csv --outdir results\n'
        groups.values().each { group ->
            text += "\n${group.title}:\n"
            group.properties.each { name, property ->
                def shown = property.containsKey('default') && property.default !in ['', false] ? " [$property.default]" : ''
                def required = name in group.required ? ' (required)' : ''
                text += "  --${name.padRight(18)}${property.description}$required$shown\n"
            }
        }
        text
    }

    // Returns what is wrong with the parameters, a line for each.
    List<String> errors(Map params) {
        def properties = groups.values().collectEntries { it.properties }
        def required = groups.values().collectMany { it.required ?: [] }
        def unknown = (params.keySet() - properties.keySet()).collect { "--$it: there is no such parameter (see --help)" }
        def missing = required.findAll { !params[it] }.collect { "--$it is missing: ${properties[it].description}" }
        def wrong = properties.findAll { name, _ -> params[name] != null && params[name] != '' }.collect { name, property ->
            def expected = expectedOf(property, params[name])
            expected ? "--$name is '${params[name]}', but must be $expected" : null
        }
        unknown + missing + wrong.findAll()
    }

    // Returns what the value should be, or nothing if it is.
    private static String expectedOf(Map property, value) {
        switch (property.type) {
            case 'boolean':
                return value instanceof Boolean ? null : 'true or false'
            case 'integer':
                return value instanceof Integer && value >= property.minimum ? null : "a whole number, $property.minimum or more"
            case 'number':
                def above = property.exclusiveMinimum
                def isGood = value instanceof Number && (above == null ? value >= property.minimum : value > above)
                return isGood ? null : "a number, ${above == null ? "$property.minimum or more" : "more than $above"}"
        }
        if (property.enum && !(value.toString() in property.enum)) return "one of ${property.enum.join(', ')}"
        if (property.pattern && !(value.toString() ==~ property.pattern)) return "as in '$property.default'"
        null
    }
}
