import type { Command } from 'commander'
import type { Cli } from '../../adapters/cli/cli.ts'
import { printReply, textOf } from '../../adapters/cli/print.ts'

export function addGreetCommand(program: Command, cli: Cli): void {
  program
    .command('greet <name>')
    .description('greet somebody')
    .action(async (name: string) => {
      const reply = await cli.send('POST', '/v1/greetings', JSON.stringify({ name }))
      cli.exit(printReply(cli.out(), reply, (body) => cli.out().line(textOf(body['run_id']))))
    })
}
