package cli

import (
	"flag"
	"fmt"
	"strings"
)

// Completion is the script by which a shell completes the commands and flags of mcp: bash, zsh
// or fish. more are commands beside those of this package.
func Completion(shell string, more ...string) (script string, ok bool) {
	names := append([]string(nil), more...)
	for _, c := range commands() {
		names = append(names, c.name)
	}
	names = append(names, wireName)
	switch shell {
	case "bash":
		return bashScript(names), true
	case "zsh":
		return zshScript(names), true
	case "fish":
		return fishScript(names), true
	}
	return "", false
}

// flagNames are the flags of the command, each with two hyphens.
func (c *command) flagNames() (all []string) {
	c.flagSet(&settings{}).VisitAll(func(f *flag.Flag) { all = append(all, "--"+f.Name) })
	return all
}

func bashScript(names []string) string {
	var cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&cases, "        %s) words=%q ;;\n", c.name, strings.Join(c.flagNames(), " "))
	}
	return `# mcp completion bash: source <(mcp completion bash)
_mcp() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at=1 i words
    [ "${COMP_WORDS[1]}" = ` + wireName + ` ] && at=2
    for ((i = at + 1; i < COMP_CWORD; i++)); do
        if [ "${COMP_WORDS[i]}" = -- ]; then
            if ((i + 1 == COMP_CWORD)); then
                COMPREPLY=($(compgen -c -- "$current"))
            else
                COMPREPLY=($(compgen -f -- "$current"))
            fi
            return
        fi
    done
    if ((COMP_CWORD <= at)); then
        COMPREPLY=($(compgen -W "` + strings.Join(names, " ") + `" -- "$current"))
        return
    fi
    case $before in
        -era|--era) COMPREPLY=($(compgen -W "legacy modern auto" -- "$current")); return ;;
        -version|--version) COMPREPLY=($(compgen -W "` + strings.Join(versions(), " ") + `" -- "$current")); return ;;
        -output|--output) COMPREPLY=($(compgen -W "text json" -- "$current")); return ;;
    esac
    case ${COMP_WORDS[at]} in
` + cases.String() + `    esac
    COMPREPLY=($(compgen -W "$words -- http:// https:// unix: tcp:" -- "$current"))
}
complete -o default -F _mcp mcp
`
}

func zshScript(names []string) string {
	var cases strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&cases, "        %s) flags=(%s) ;;\n", c.name, strings.Join(c.flagNames(), " "))
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
        compadd -- ` + strings.Join(names, " ") + `
        return
    fi
    case ${words[CURRENT-1]} in
        -era|--era) compadd -- legacy modern auto; return ;;
        -version|--version) compadd -- ` + strings.Join(versions(), " ") + `; return ;;
        -output|--output) compadd -- text json; return ;;
    esac
    case ${words[at]} in
` + cases.String() + `    esac
    compadd -- $flags -- http:// https:// unix: tcp:
    _files
}
compdef _mcp mcp
`
}

func fishScript(names []string) string {
	var b strings.Builder
	b.WriteString("# mcp completion fish: mcp completion fish > ~/.config/fish/completions/mcp.fish\n")
	fmt.Fprintf(&b, "complete -c mcp -f -n __fish_use_subcommand -a '%s'\n", strings.Join(names, " "))
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c mcp -f -n __fish_use_subcommand -a %s -d '%s'\n", c.name, strings.ReplaceAll(c.summary, "'", `\'`))
		c.flagSet(&settings{}).VisitAll(func(f *flag.Flag) {
			var values string
			switch f.Name {
			case "era":
				values = " -x -a 'legacy modern auto'"
			case "version":
				values = " -x -a '" + strings.Join(versions(), " ") + "'"
			case "output":
				values = " -x -a 'text json'"
			default:
				if _, isBool := f.Value.(interface{ IsBoolFlag() bool }); !isBool {
					values = " -r"
				}
			}
			fmt.Fprintf(&b, "complete -c mcp -n '__fish_seen_subcommand_from %s' -l %s%s\n", c.name, f.Name, values)
		})
	}
	return b.String()
}
