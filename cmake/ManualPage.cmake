# Writes the manual page from the texts of --help:
# cmake -DPROGRAM=bin/haplospin -DTORCH=ON -DPAGE=haplospin.1 -P ManualPage.cmake
cmake_minimum_required(VERSION 3.22)

# The standard output of the program.
function(run_program result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE error RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ${ARGN}: ${code}: ${error}")
  endif()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

# Text line by line, with the characters escaped that have a meaning in troff.
function(append_literal text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REPLACE "'" "\\(aq" text "${text}")
  string(REPLACE "\n." "\n\\&." text "\n${text}")  # a dot at the beginning of a line would be a request
  string(APPEND page ".nf${text}.fi\n")
  set(page "${page}" PARENT_SCOPE)
endfunction()

# The sections of subcommands, such as panel build; these are also indented lines of the help.
function(append_subcommands command help)
  string(REGEX MATCHALL "\n  [a-z][a-z0-9-]*" subcommands "${help}")
  foreach(subcommand IN LISTS subcommands)
    string(STRIP "${subcommand}" subcommand)
    string(TOUPPER "${command} ${subcommand}" title)
    string(APPEND page ".SH HAPLOSPIN ${title}\n")
    run_program(text ${command} ${subcommand} --help)
    string(REGEX REPLACE "threads to use \\[[0-9]+\\]" "threads to use [all]" text "${text}")
    append_literal("${text}")
  endforeach()
  set(page "${page}" PARENT_SCOPE)
endfunction()

run_program(overview --help)
run_program(versions --version)
if(NOT versions MATCHES "^haplospin ([^\n]+)")
  message(FATAL_ERROR "${PROGRAM} --version does not begin with the program's name")
endif()
set(page ".TH HAPLOSPIN 1 \"\" \"haplospin ${CMAKE_MATCH_1}\" \"User Commands\"\n")
string(APPEND page ".SH NAME\nhaplospin \\- genotype imputation with neural processes\n")
string(APPEND page ".SH SYNOPSIS\n.B haplospin\n.I COMMAND\n[options]\n.SH DESCRIPTION\n")
append_literal("${overview}")

# Commands are the indented lines of the overview. Those that are short forms of another have the same subcommands.
set(short_forms hopular npt te-tnp ipnp)
string(REGEX MATCHALL "\n  [a-z][a-z0-9-]*" commands "${overview}")
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  string(TOUPPER "${command}" title)
  string(APPEND page ".SH HAPLOSPIN ${title}\n")
  execute_process(COMMAND ${PROGRAM} ${command} --help OUTPUT_VARIABLE help ERROR_VARIABLE error RESULT_VARIABLE code)
  if(code EQUAL 0)
    # The default is the number of cores of the build machine.
    string(REGEX REPLACE "threads to use \\[[0-9]+\\]" "threads to use [all]" help "${help}")
    append_literal("${help}")
    if(NOT command IN_LIST short_forms)
      append_subcommands(${command} "${help}")
    endif()
  elseif(NOT TORCH AND error MATCHES "needs LibTorch")
    string(APPEND page "Not in this build, which is without LibTorch.\n")
  else()
    message(FATAL_ERROR "${PROGRAM} ${command} --help: ${code}: ${error}")
  endif()
endforeach()
string(APPEND page ".SH EXIT STATUS\n0: success; 1: internal error, or, of selfcheck, dosages "
  "that differ; 2: input error, which the message explains; 3: the verdict of check is not to impute the study.\n")
file(WRITE ${PAGE} "${page}")
