import type { Command } from 'commander'
import type { Cli } from './cli.ts'

const SHELLS: Readonly<Record<string, string>> = {
  bash: String.raw`_sluice() {
  local IFS=$'\n'
  COMPREPLY=($(sluice complete -- "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _sluice sluice`,
  zsh: String.raw`#compdef sluice
_sluice() {
  local -a found
  found=("${'$'}{(@f)$(sluice complete -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found || _files
}
compdef _sluice sluice`,
  fish: `complete -c sluice -f -a '(sluice complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

/** `sluice completion bash` prints a script; with it the shell calls `sluice complete` for suggestions. */
export function addCompletionCommand(program: Command, cli: Cli): void {
  program
    .command('completion <shell>')
    .description('print the completion script for bash, zsh or fish')
    .action((shell: string) => {
      const script = SHELLS[shell]
      if (script === undefined) cli.fail(`\`${shell}\` is not one of ${Object.keys(SHELLS).join(', ')}`)
      else cli.out().data(script)
    })
  program.command('complete [words...]', { hidden: true }).action((words: readonly string[]) => {
    for (const word of completionsOf(program, words)) cli.out().line(word)
  })
}

/** Completions of the last word: subcommands of the commands before it, or options of the command. */
export function completionsOf(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? ''
  let command = program
  for (const word of words.slice(0, -1)) command = command.commands.find((each) => each.name() === word) ?? command
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name())
  const options = new Set([...command.options, ...program.options].flatMap(({ long }) => long ?? []))
  return (typed.startsWith('-') ? [...options] : names).filter((word) => word.startsWith(typed)).toSorted()
}
