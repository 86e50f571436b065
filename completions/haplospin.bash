# Completion of haplospin for bash. Commands, options and their choices are read from --help of the installed program,
# so they are always up to date.
_haplospin() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} help choices
  local before=" ${COMP_WORDS[*]:0:COMP_CWORD} " arch=()
  [[ $before =~ \ --arch\ (=\ )?([a-z-]+)\  ]] && arch=(--arch "${BASH_REMATCH[2]}")  # train has options for each
  # Commands are listed as lines that begin with two spaces and a name.
  local commands='s/^  \([a-z][a-z0-9-]*\) .*/\1/p'
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "--help --version $("$program" 2>/dev/null | sed -n "$commands")" -- "$current")
    return
  fi
  help=$("$program" "${COMP_WORDS[1]}" "${arch[@]}" --help 2>/dev/null) || return
  choices=$(sed -n "$commands" <<<"$help")
  if [[ -n $choices ]]; then  # subcommands
    if ((COMP_CWORD == 2)); then
      mapfile -t COMPREPLY < <(compgen -W "--help $choices" -- "$current")
      return
    fi
    help=$("$program" "${COMP_WORDS[1]}" "${COMP_WORDS[2]}" --help 2>/dev/null) || return
  fi
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^  \(-[A-Za-z0-9], \|    \)\(--[a-z0-9-]*\).*/\2/p' <<<"$help")" -- "$current")
    return
  fi
  # A value such as auto|v|z is a list of choices; anything else is completed as a file.
  choices=$(sed -n 's/^  \(-[A-Za-z0-9], \|    \)\(--[a-z0-9-]*\) \([^ ]*|[^ ]*\).*/\1\2 \3/p' <<<"$help" |
    awk -v option="$previous" '{ sub(",", ""); if ($1 == option || $2 == option) { gsub(/\|/, " ", $NF); print $NF } }')
  if [[ -n $choices ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _haplospin haplospin
