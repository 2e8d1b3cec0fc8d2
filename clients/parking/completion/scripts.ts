export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * The script of each shell. It asks the command itself, so that completions are never out of date: a line for
 * each word, and a line `:files` if names of files are wanted.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# parking: completion for bash. In ~/.bashrc:  source <(parking completion bash)
_parking() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("$line")
    fi
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _parking parking`,
  zsh: `#compdef parking
# parking: completion for zsh. In ~/.zshrc, after compinit:  source <(parking completion zsh)
_parking() {
  local -a lines
  lines=("\${(@f)$("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${lines[(I):files]} )); then
    _files
  fi
  lines=("\${(@)lines:#:files}")
  lines=("\${(@)lines:#}")
  (( \${#lines} )) && compadd -a lines
}
compdef _parking parking`,
  fish: `# parking: completion for fish. In ~/.config/fish/config.fish:  parking completion fish | source
function __parking_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete -- $words[2..-1] 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c parking -f -a '(__parking_complete)'`,
};
