package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"isthmus.internal/mcp"
)

// Other is a command beside those of this package, and the words that may follow it, with a space
// between.
type Other struct{ Name, Words string }

// Completion is the script by which a shell completes the commands and flags of mcp: bash, zsh
// or fish.
func Completion(shell string, others ...Other) (script string, ok bool) {
	names := Names()
	for _, other := range others {
		names = append(names, other.Name)
	}
	switch shell {
	case "bash":
		return bashScript(names, others), true
	case "zsh":
		return zshScript(names, others), true
	case "fish":
		return fishScript(names, others), true
	}
	return "", false
}

// flagValues are the values of flags that can be listed.
func flagValues() [][2]string {
	return [][2]string{
		{"era", "legacy modern auto"},
		{"version", strings.Join(versions(), " ")},
		{"output", "text json"},
		{"log", strings.ReplaceAll(mcp.LogLevelNames, ",", "")},
	}
}

// Shells are those that there is a script for.
const Shells = "bash zsh fish"

// flagNames are the flags of the command, each with two hyphens.
func (c *command) flagNames() (all []string) {
	c.flagSet(&settings{}).VisitAll(func(f *flag.Flag) { all = append(all, "--"+f.Name) })
	return all
}

// speakers are the commands that mcp wire may stand before.
func speakers() string {
	names := Names()
	return strings.Join(names[:len(names)-1], " ") // without wire itself
}

func bashScript(names []string, others []Other) string {
	var cases strings.Builder
	for _, o := range others {
		fmt.Fprintf(&cases, "        %s) COMPREPLY=($(compgen -W %q -- \"$current\")); return ;;\n", o.Name, o.Words)
	}
	for _, c := range commands {
		fmt.Fprintf(&cases, "        %s) words=%q ;;\n", c.name, strings.Join(c.flagNames(), " "))
	}
	var values strings.Builder
	for _, v := range flagValues() {
		fmt.Fprintf(&values, "        -%s|--%s) COMPREPLY=($(compgen -W %q -- \"$current\")); return ;;\n", v[0], v[0], v[1])
	}
	return bashBegin + `    [ "${COMP_WORDS[1]}" = ` + wireName + ` ] && at=2
    for ((i = at + 1; i < COMP_CWORD; i++)); do
        if [ "${COMP_WORDS[i]}" = -- ]; then
            if ((i + 1 == COMP_CWORD)); then
                COMPREPLY=($(compgen -c -- "$current"))
            else
                COMPREPLY=($(compgen -f -- "$current"))
            fi
            return
        fi
        case ${COMP_WORDS[i]} in
        http|https|unix|tcp|http:*|https:*|unix:*|tcp:*) targets= ;; # there is one
        esac
    done
    if ((COMP_CWORD <= at)); then
        words="` + strings.Join(names, " ") + `"
        ((at == 2)) && words="` + speakers() + `"
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        return
    fi
    case $before in
        -json|--json|-header|--header)
            if [ "$file" ]; then
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -P "$prefix" -f -- "$current"))
                return
            fi ;;
` + values.String() + `    esac
    case ${COMP_WORDS[at]} in
` + cases.String() + `        *) return ;;
    esac
    case $current in
        --*) ;;
        -*) words=${words//--/-} ;;
    esac
    COMPREPLY=($(compgen -W "$words $targets" -- "$current"))
}
complete -o default -F _mcp mcp
`
}

// bashBegin finds the word to complete, and the one before it: bash parts words at =, and at @, too.
const bashBegin = `# mcp completion bash: source <(mcp completion bash)
_mcp() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} back=1 at=1 i words
    local file= prefix=@ targets="-- http:// https:// unix: tcp:"
    [[ $COMP_WORDBREAKS = *@* ]] && prefix= # a word begins behind it
    if [ "$before" = @ ]; then
        file=yes back=2 before=${COMP_WORDS[COMP_CWORD-2]}
    elif [[ $current = @* ]]; then
        file=yes current=${current#@}
    fi
    if [ "$current" = = ]; then
        current=
    elif [ "$before" = = ]; then
        before=${COMP_WORDS[COMP_CWORD-back-1]}
    fi
`

func zshScript(names []string, others []Other) string {
	var cases strings.Builder
	for _, o := range others {
		fmt.Fprintf(&cases, "        %s) compadd -- %s; return ;;\n", o.Name, o.Words)
	}
	for _, c := range commands {
		fmt.Fprintf(&cases, "        %s) flags=(%s) ;;\n", c.name, strings.Join(c.flagNames(), " "))
	}
	var values strings.Builder
	for _, v := range flagValues() {
		fmt.Fprintf(&values, "        -%s|--%s) compadd -- %s; return ;;\n", v[0], v[0], v[1])
	}
	return `#compdef mcp
# mcp completion zsh: mcp completion zsh > "${fpath[1]}/_mcp"
_mcp() {
    local at=2 i
    local -a flags
    [[ ${words[2]} == ` + wireName + ` ]] && at=3
    for ((i = at + 1; i < CURRENT; i++)); do
        if [[ ${words[i]} == -- ]]; then
            if ((i + 1 == CURRENT)); then _command_names; else _files; fi
            return
        fi
    done
    if ((CURRENT <= at)); then
        if ((at == 3)); then compadd -- ` + speakers() + `; else compadd -- ` + strings.Join(names, " ") + `; fi
        return
    fi
    case ${words[CURRENT-1]} in
` + values.String() + `    esac
    case ${words[at]} in
` + cases.String() + `        *) _files; return ;;
    esac
    compadd -- $flags -- http:// https:// unix: tcp:
    _files
}
compdef _mcp mcp
`
}

func fishScript(names []string, others []Other) string {
	var b strings.Builder
	b.WriteString("# mcp completion fish: mcp completion fish > ~/.config/fish/completions/mcp.fish\n")
	fmt.Fprintf(&b, "complete -c mcp -f -n __fish_use_subcommand -a '%s'\n", strings.Join(names, " "))
	fmt.Fprintf(&b, "complete -c mcp -f -n '__fish_seen_subcommand_from wire; and not __fish_seen_subcommand_from %s' -a '%s'\n", speakers(), speakers())
	for _, o := range others {
		fmt.Fprintf(&b, "complete -c mcp -f -n '__fish_seen_subcommand_from %s' -a '%s'\n", o.Name, o.Words)
	}
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c mcp -f -n __fish_use_subcommand -a %s -d '%s'\n", c.name, strings.ReplaceAll(c.summary, "'", `\'`))
		c.flagSet(&settings{}).VisitAll(func(f *flag.Flag) {
			values := ""
			if i := slices.IndexFunc(flagValues(), func(v [2]string) bool { return v[0] == f.Name }); i >= 0 {
				values = " -x -a '" + flagValues()[i][1] + "'"
			} else if _, isBool := f.Value.(interface{ IsBoolFlag() bool }); !isBool {
				values = " -r"
			}
			fmt.Fprintf(&b, "complete -c mcp -n '__fish_seen_subcommand_from %s' -l %s%s\n", c.name, f.Name, values)
		})
	}
	return b.String()
}
