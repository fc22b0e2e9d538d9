/** A command as far as its words can be completed. */
export interface CompletableCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly name: string; readonly description: string }[];
  /** Words that an argument may be. */
  readonly choices: readonly string[];
}

export type Shell = 'bash' | 'zsh' | 'fish';

/** The completion scripts. They are made from the commands, and ask `tenon completion names` for servers. */
export const COMPLETIONS: Readonly<Record<Shell, (commands: readonly CompletableCommand[]) => string>> = {
  bash: commands => `
# bash completion for tenon
_tenon() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(' ')} --help --version"
  else
    case "$command" in
${commands.map(one => `      ${one.name}) words="${wordsOf(one)}" ;;`).join('\n')}
    esac
    case "$current" in -*) ;; *) words="$words $(tenon completion names 2>/dev/null)" ;; esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # A colon separates words for readline, so what stands before it is not completed again.
  if [[ "$current" == *:* ]] && declare -F __ltrim_colon_completions >/dev/null; then
    __ltrim_colon_completions "$current"
  fi
}
complete -o default -F _tenon tenon
`,
  zsh: commands => `
#compdef tenon
_tenon() {
  local -a commands names options
  commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
${commands.map(one => `    ${one.name}) options=(${optionsOf(one)}) ;;`).join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe 'option' options
  else
    names=(\${(f)"$(tenon completion names 2>/dev/null)"})
    case "$words[2]" in
${commands
  .filter(({ choices }) => choices.length > 0)
  .map(one => `      ${one.name}) names+=(${one.choices.join(' ')}) ;;`)
  .join('\n')}
    esac
    compadd -a names
    _files
  fi
}
compdef _tenon tenon
`,
  fish: commands =>
    `
# fish completion for tenon
complete -c tenon -f -n __fish_use_subcommand -l help -d 'print the help'
complete -c tenon -f -n __fish_use_subcommand -l version -d 'print the version'
${commands.map(({ name, summary }) => `complete -c tenon -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`).join('\n')}
${commands.flatMap(one => fishLines(one)).join('\n')}
`,
};

function wordsOf({ options, choices }: CompletableCommand): string {
  return [...choices, ...options.map(({ name }) => name), '--help'].join(' ');
}

function optionsOf({ options }: CompletableCommand): string {
  return options.map(({ name, description }) => quote(`${name}:${description}`)).join(' ');
}

function fishLines({ name, options, choices }: CompletableCommand): string[] {
  const when = `-n '__fish_seen_subcommand_from ${name}'`;
  const words = choices.length > 0 ? `${choices.join(' ')} ` : '';
  return [
    `complete -c tenon ${when} -a '${words}(tenon completion names 2>/dev/null)'`,
    ...options.map(
      option => `complete -c tenon ${when} -l ${option.name.slice(2)} -d ${quote(option.description)}`,
    ),
  ];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
