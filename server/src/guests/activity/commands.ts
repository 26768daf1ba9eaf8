import type { Command } from 'commander'
import type { Cli } from '../../adapters/cli/cli.ts'
import { countOf, sinceOf } from '../../adapters/cli/option-values.ts'
import { fieldsOf, itemsOf, printReply, table, textOf, timeOf, type PrintedFields } from '../../adapters/cli/print.ts'

type CallListOptions = {
  readonly state?: string
  readonly tool?: string
  readonly caller?: string
  readonly user?: string
  readonly agent?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
}

/** Lists calls, newest first. */
export function addCallsCommand(program: Command, cli: Cli): void {
  program
    .command('calls [words...]')
    .description('list calls and their outcomes, newest first; extra words filter the list')
    .option('--state <state>', 'pending, executed, refused, failed, unknown, …')
    .option('--tool <id>', 'only calls of this tool')
    .option('--caller <id>', 'only calls by this caller, such as agent:claude')
    .option('--agent <name>', 'the same as `--caller agent:<name>`')
    .option('--user <name>', 'only calls for this user')
    .option('--since <when>', 'only calls since then: a date, or a duration such as 7d or 12h')
    .option('--until <when>', 'only calls until then')
    .option('-n, --limit <count>', 'how many', countOf, 20)
    .action(async (words: readonly string[], { limit, agent, since, until, ...only }: CallListOptions) => {
      if (agent !== undefined && only.caller !== undefined) return cli.fail('use either --agent or --caller')
      const query = new URLSearchParams({ ...only, limit: String(limit) })
      if (agent !== undefined) query.set('caller', `agent:${agent}`)
      for (const [name, text] of Object.entries({ since, until })) {
        if (text === undefined) continue
        const at = sinceOf(text)
        if (at === undefined) return cli.fail(`\`${text}\` is neither a date nor a duration such as 7d or 12h`)
        query.set(name, String(at))
      }
      if (words.length > 0) query.set('q', words.join(' '))
      const reply = await cli.send('GET', `/v1/calls?${query.toString()}`)
      const out = cli.out()
      cli.exit(
        printReply(out, reply, (body) => {
          const items = itemsOf(body)
          if (items.length === 0) return out.line('no calls')
          table(out, [['TIME', 'CALL', 'TOOL', 'CALLER', 'STATE', 'WHY'], ...items.map(rowOf)])
          if (body['next'] !== undefined) out.error(`there are more; show them with -n ${limit * 2}`, 'quiet')
        }),
      )
    })
}

function rowOf(call: PrintedFields): string[] {
  const { says } = fieldsOf(call['problem'])
  return [
    timeOf(call['received_at']),
    textOf(call['call_id']),
    textOf(call['tool_id']),
    textOf(fieldsOf(call['asked_by'])['id']),
    textOf(call['state']),
    textOf(says ?? call['why'] ?? ''),
  ]
}
