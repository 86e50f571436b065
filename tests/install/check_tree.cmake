# Installs into a folder of its own and checks what is there: the program, manual page, completions, public headers, and
# the example built against the installed library.
function(run result)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE error RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${code}\n${out}\n${error}")
  endif()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

function(expect text pattern what)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: no match for '${pattern}' in:\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
run(_ ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

# The program finds its libraries from anywhere.
set(program ${prefix}/${BINDIR}/haplospin)
run(overview ${CMAKE_COMMAND} -E chdir / ${program})
expect("${overview}" "\n  impute " "haplospin")

# The manual page has a section for every command, with its options.
file(READ ${prefix}/${MANDIR}/man1/haplospin.1 page)
string(REGEX MATCHALL "\n  [a-z][a-z0-9-]*" commands "${overview}")
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  string(TOUPPER "${command}" title)
  expect("${page}" "\n.SH HAPLOSPIN ${title}\n" "manual page")
endforeach()
expect("${page}" "write\\\\-index" "manual page")
expect("${page}" "\n.SH HAPLOSPIN PANEL BUILD\n" "manual page")

# bash completes commands, options and choices.
find_program(BASH bash REQUIRED)
function(complete result word)
  execute_process(COMMAND ${BASH} ${CMAKE_CURRENT_LIST_DIR}/complete.bash
    ${prefix}/${DATADIR}/bash-completion/completions/haplospin ${program} ${ARGN} "${word}" OUTPUT_VARIABLE out)
  set(${result} "${out}" PARENT_SCOPE)
endfunction()
complete(words "imp")
expect("${words}" "^<impute>\n$" "completion of a command")
complete(words "--wri" impute)
expect("${words}" "^<--write-index>\n$" "completion of an option")
complete(words "" panel)
expect("${words}" "^<--help build adapt info view regions>\n$" "completion of a command's own commands")
complete(words "--lev" panel build)
expect("${words}" "^<--level>\n$" "completion of their options")
complete(words "" impute --output-type)
expect("${words}" "^<auto v z u b>\n$" "completion of a choice")
complete(words "" impute -O)
expect("${words}" "^<auto v z u b>\n$" "completion of a short option's choice")

run(versions ${program} --version)
if(NOT versions MATCHES "torch not installed")
  complete(words "--row" train --arch spin)
  expect("${words}" "^<--rows>\n$" "completion of an option of an architecture")
endif()

# Programs against the installed headers and library.
set(flags ${FLAGS})
if(SANITIZE)
  string(APPEND flags " -fsanitize=${SANITIZE}")
endif()
function(build_against_installed source name)
  run(_ ${CMAKE_COMMAND} -S ${source} -B ${WORK}/${name} -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${flags})
  run(_ ${CMAKE_COMMAND} --build ${WORK}/${name})
endfunction()

# The headers, which are those of include/ and the generated one, compile alone, and all they declare links.
file(GLOB public RELATIVE ${SOURCE}/include/haplospin ${SOURCE}/include/haplospin/*)
file(GLOB installed RELATIVE ${prefix}/include/haplospin ${prefix}/include/haplospin/*)
list(APPEND public version.h)
list(SORT public)
list(SORT installed)
if(NOT public STREQUAL installed)
  message(FATAL_ERROR "installed headers: ${installed}\nexpected: ${public}")
endif()
build_against_installed(${CMAKE_CURRENT_LIST_DIR}/public_api public_api)
run(_ ${WORK}/public_api/public_api)

build_against_installed(${SOURCE}/examples/in_memory in_memory)
if(NOT EXISTS ${prefix}/${DATADIR}/haplospin/models/imputer.safetensors)
  message("SKIPPED: running the example needs models/imputer.safetensors")
  return()
endif()
run(dosages ${WORK}/in_memory/in_memory)
# Haplotypes that copy the second group carry ALT at the even-numbered sites, and those of the first do not.
foreach(position 1000 3000 5000 7000 9000)
  expect("${dosages}" "chr20:${position}\t0\\.0[0-9]\t(0\\.9[0-9]|1\\.00)\n" "the example")
endforeach()
