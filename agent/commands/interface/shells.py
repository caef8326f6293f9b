"""Completion in shells of words with colons, commas and equal signs, such as players with settings.

Bash takes `uct:level=3` for five words, and would replace only the last of them. So the line is told as it stands, and
what bash has before its last word is taken off the answers. In click's own functions for the other shells, zsh takes
colons in a word for the end of it, fish commas, and both would put a value in place of `--option=value`.
"""

from __future__ import annotations

from click.shell_completion import BashComplete, FishComplete, ZshComplete, add_completion_class

_BASH = """\
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


_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a response open open_shown closed closed_shown
    local type key help shown kept=""
    (( ! $+commands[%(prog_name)s] )) && return 1
    [[ $words[CURRENT] == --*=* ]] && kept="${words[CURRENT]%%%%=*}="
    response=("${(@f)$(env COMP_WORDS="${words[1,CURRENT]}" COMP_CWORD=$((CURRENT-1)) \
        %(complete_var)s=zsh_complete %(prog_name)s)}")
    for type key help in ${response}; do
        key="${key//\\\\:/:}"
        shown="$key"
        [[ "$help" != "_" ]] && shown="$key  -- $help"
        if [[ "$type" == "plain" && "$key" == *[:=,] ]]; then
            open+=("$kept$key") open_shown+=("$shown")
        elif [[ "$type" == "plain" ]]; then
            closed+=("$kept$key") closed_shown+=("$shown")
        elif [[ "$type" == "dir" ]]; then
            _path_files -/
        elif [[ "$type" == "file" ]]; then
            _path_files -f
        fi
    done
    (( $#open )) && compadd -U -l -V unsorted -S '' -d open_shown -a open
    (( $#closed )) && compadd -U -l -V unsorted -d closed_shown -a closed
    return 0
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = """\
function %(complete_func)s
    set -l current (commandline -ct)
    set -l kept (string match -r -- '^--[^=]*=' $current)
    set -l said (env COMP_WORDS=(commandline -cp) COMP_CWORD=$current %(complete_var)s=fish_complete %(prog_name)s)
    for answer in $said
        set -l parts (string split -m 1 , -- $answer)
        switch $parts[1]
            case dir
                __fish_complete_directories $current
            case file
                __fish_complete_path $current
            case plain
                echo "$kept$parts[2]"
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class WholeWordBashComplete(BashComplete):
    """Completes words as people see them, between blanks."""

    source_template = _BASH


class WholeWordZshComplete(ZshComplete):
    """See `WholeWordBashComplete`."""

    source_template = _ZSH


class WholeWordFishComplete(FishComplete):
    """See `WholeWordBashComplete`."""

    source_template = _FISH


def register() -> None:
    """Has click complete so."""
    for shell in (WholeWordBashComplete, WholeWordZshComplete, WholeWordFishComplete):
        add_completion_class(shell)
