"""Completion in bash of words with colons and equal signs, such as players with settings.

Bash takes `uct:level=3` for five words, and would replace only the last of them. So the line is told as it stands, and
what bash has before its last word is taken off the answers.
"""

from __future__ import annotations

from click.shell_completion import BashComplete, add_completion_class

_SOURCE = """\
%(complete_func)s() {
    local line="${COMP_LINE:0:COMP_POINT}" words completion type value
    read -ra words <<< "$line"
    local number=$(( ${#words[@]} - 1 )) last="${words[-1]}"
    if [[ $line == *[[:space:]] ]]; then
        number=$(( number + 1 ))
        last=""
    fi
    local kept="${last%%"${last##*[:=]}"}"
    COMPREPLY=()
    while IFS=',' read -r type value; do
        if [[ $type == 'dir' ]]; then
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("${value#"$kept"}")
            if [[ $value == *[:=,] ]]; then
                compopt -o nospace
            fi
        fi
    done < <(env COMP_WORDS="$line" COMP_CWORD=$number %(complete_var)s=bash_complete "$1")
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class WholeWordBashComplete(BashComplete):
    """Completes words as people see them, between blanks."""

    source_template = _SOURCE


def register() -> None:
    """Has click complete so in bash."""
    add_completion_class(WholeWordBashComplete)
