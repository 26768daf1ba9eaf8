import type { Command } from 'commander'
import { countOf } from './option-values.ts'
import { fieldsOf, itemsOf, printReply, table, textOf, timeOf, type Fields } from './print.ts'
import type { Session } from './session.ts'

type CallsOptions = {
  readonly state?: string
  readonly tool?: string
  readonly caller?: string
  readonly user?: string
  readonly limit: number
}

/** Lists calls, newest first. */
export function addCallsCommand(program: Command, session: Session): void {
  program
    .command('calls [words...]')
    .description('list calls and their outcomes, newest first; extra words filter the list')
    .option('--state <state>', 'pending, executed, refused, failed, unknown, …')
    .option('--tool <id>', 'only calls of this tool')
    .option('--caller <id>', 'only calls by this caller, such as agent:claude')
    .option('--user <name>', 'only calls for this user')
    .option('-n, --limit <count>', 'how many', countOf, 20)
    .action(async (words: readonly string[], { limit, ...only }: CallsOptions) => {
      const query = new URLSearchParams({ ...only, limit: String(limit) })
      if (words.length > 0) query.set('q', words.join(' '))
      const reply = await session.send('GET', `/v1/calls?${query.toString()}`)
      const out = session.out()
      session.exit(
        printReply(out, reply, (body) => {
          const items = itemsOf(body)
          if (items.length === 0) return out.line('no calls')
          table(out, [['TIME', 'CALL', 'TOOL', 'CALLER', 'STATE', 'WHY'], ...items.map(rowOf)])
          if (body['next'] !== undefined) out.error(`there are more; show them with -n ${limit * 2}`, 'quiet')
        }),
      )
    })
}

function rowOf(call: Fields): string[] {
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
