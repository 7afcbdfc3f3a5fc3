// The scripts that shells load. Each asks the hidden command `complete-line` for the words that can stand at the cursor.

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** The line with which the command answers where the name of a file is wanted. No word begins so. */
export const filesWanted = ':files';

/** The words after the command are arguments of the call and never read as code, whatever they hold. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# Completion of leadsheet for bash. In ~/.bashrc: source <(leadsheet completion bash)
_leadsheet() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ${filesWanted} ]]; then
      compopt -o default 2>/dev/null
    else
      printf -v line %q "\${line%%$'\\t'*}"
      COMPREPLY+=("$line")
    fi
  done < <("$1" complete-line -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _leadsheet leadsheet
`,
  zsh: `#compdef leadsheet
# Completion of leadsheet for zsh. In ~/.zshrc, after compinit: source <(leadsheet completion zsh)
_leadsheet() {
  local line value wants_files
  local -a found
  for line in "\${(@f)$("\${(Q)words[1]}" complete-line -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == ${filesWanted} ]]; then
      wants_files=1
    elif [[ -n $line ]]; then
      value="\${line%%$'\\t'*}"
      found+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  if [[ -n $wants_files ]]; then
    _files
  elif (( $#found )); then
    _describe leadsheet found
  fi
}
if [[ "\${funcstack[1]}" == _leadsheet ]]; then
  _leadsheet "$@"
else
  compdef _leadsheet leadsheet
fi
`,
  fish: `# Completion of leadsheet for fish. Once: leadsheet completion fish > ~/.config/fish/completions/leadsheet.fish
function __leadsheet_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for line in ($program complete-line -- $words "$current" 2>/dev/null)
        if test "$line" = "${filesWanted}"
            __fish_complete_path "$current"
        else
            printf '%s\\n' $line
        end
    end
end
complete -c leadsheet -f -a '(__leadsheet_complete)'
`,
};
