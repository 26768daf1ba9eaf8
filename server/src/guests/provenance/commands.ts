import type { Command } from 'commander'
import type { Cli } from '../../adapters/cli/cli.ts'
import { fieldsOf, printReply, table, textOf, type PrintedFields, type Out } from '../../adapters/cli/print.ts'

export function addWhyCommand(program: Command, cli: Cli): void {
  program
    .command('why <call_id>')
    .description(
      'show where a call came from: what the user asked for, which other texts ask for it, and the source of each argument',
    )
    .action(async (id: string) => {
      const reply = await cli.send('GET', `/v1/calls/${encodeURIComponent(id)}/why`)
      cli.exit(printReply(cli.out(), reply, (body) => printWhy(cli.out(), body)))
    })
}

const listOf = (value: unknown): readonly PrintedFields[] =>
  Array.isArray(value) ? value.map((item) => fieldsOf(item)) : []

function printWhy(out: Out, body: PrintedFields): void {
  const known =
    body['user_words'] === true
      ? `the user's words ask for it: ${textOf(body['licence'])}`
      : 'what the user asked for is not known'
  out.line(`${textOf(body['tool_id'])}: ${known}`)
  if (body['declared_read'] !== undefined) out.line(textOf(body['declared_read']))
  for (const contest of listOf(body['contests'])) out.line(`also asked for by ${textOf(contest['label'])}`)
  const rows = listOf(body['values']).map((value) => {
    const source = fieldsOf(value['source'])
    return [textOf(value['at']), textOf(value['role']), textOf(value['from']), textOf(source['label'] ?? '')]
  })
  if (rows.length > 0) table(out, [['ARGUMENT', 'ROLE', 'KNOWN FROM', 'SOURCE'], ...rows])
  for (const reason of listOf(body['reasons']))
    out.line(`${textOf(reason['rule'])} ${textOf(reason['at'] ?? '')}`.trimEnd())
}
