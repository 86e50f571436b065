# Writes the manual page from the texts of --help:
# cmake -DPROGRAM=bin/haplospin -DTORCH=ON -DPAGE=haplospin.1 -P ManualPage.cmake
cmake_minimum_required(VERSION 3.22)

# What the program prints on standard output.
function(run_program result)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE error RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ${ARGN}: ${code}: ${error}")
  endif()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

# Text in which no character means anything to troff, kept line by line.
function(append_literal text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REPLACE "'" "\\(aq" text "${text}")
  string(REPLACE "\n." "\n\\&." text "\n${text}")  # a dot in front would be a request
  string(APPEND page ".nf${text}.fi\n")
  set(page "${page}" PARENT_SCOPE)
endfunction()

# Sections of the commands that a command has of its own, such as panel build: indented lines of its help, too.
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

# Commands are the indented lines of the overview.
string(REGEX MATCHALL "\n  [a-z][a-z0-9-]*" commands "${overview}")
foreach(command IN LISTS commands)
  string(STRIP "${command}" command)
  string(TOUPPER "${command}" title)
  string(APPEND page ".SH HAPLOSPIN ${title}\n")
  execute_process(COMMAND ${PROGRAM} ${command} --help OUTPUT_VARIABLE help ERROR_VARIABLE error RESULT_VARIABLE code)
  if(code EQUAL 0)
    # The default is that of the machine that builds.
    string(REGEX REPLACE "threads to use \\[[0-9]+\\]" "threads to use [all]" help "${help}")
    append_literal("${help}")
    append_subcommands(${command} "${help}")
  elseif(NOT TORCH AND error MATCHES "needs LibTorch")
    string(APPEND page "Not in this build, which is without LibTorch.\n")
  else()
    message(FATAL_ERROR "${PROGRAM} ${command} --help: ${code}: ${error}")
  endif()
endforeach()
string(APPEND page ".SH EXIT STATUS\n0: good; 1: a bug in haplospin; 2: something that the user can mend, which the "
  "message names.\n")
file(WRITE ${PAGE} "${page}")
