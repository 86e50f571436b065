# What bash would offer: complete.bash COMPLETIONS PROGRAM WORD...; the last word is the one being typed.
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_haplospin
echo "<${COMPREPLY[*]}>"
