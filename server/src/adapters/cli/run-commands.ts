import type { Command } from 'commander'
import { fieldsOf, itemsOf, printReply, table, textOf, timeOf, type PrintedFields, type Out } from './print.ts'
import type { Cli } from './cli.ts'

type ListOptions = Readonly<
  Partial<Record<'status' | 'kind' | 'owner' | 'user' | 'session' | 'parent' | 'after' | 'limit', string>>
>

/** Background runs: list, show, cancel, resume. */
export function addRunCommands(program: Command, cli: Cli, kinds: readonly string[]): void {
  const runs = program
    .command('runs')
    .description(
      'list background runs: held calls, deliveries, toolflows, agent threads, flow executions and workflows',
    )
    .option('--status <status>', 'active, waiting, done, failed, cancelled or faulted')
    .option('--kind <kind>', kinds.join(', '))
    .option('--owner <id>', 'only runs of this caller, such as agent:claude')
    .option('--user <name>', 'only runs for this user')
    .option('--session <id>', 'only runs in this session')
    .option('--parent <run_id>', 'only runs started by this run')
    .option('--limit <n>', 'maximum number to show')
    .option('--after <cursor>', 'the cursor printed by the previous page')
    .action(async ({ session: thread, ...options }: ListOptions) => {
      const query = new URLSearchParams({ ...options, ...(thread === undefined ? {} : { thread }) }).toString()
      const reply = await cli.send('GET', `/v1/runs${query === '' ? '' : `?${query}`}`)
      cli.exit(printReply(cli.out(), reply, (body) => printRuns(cli.out(), body)))
    })
  runs
    .command('show <run_id>')
    .description('show one run and its journal')
    .action(async (run_id: string) => {
      const reply = await cli.send('GET', `${pathOf(run_id)}?limit=200`)
      cli.exit(printReply(cli.out(), reply, (run) => printRun(cli.out(), run)))
    })
  runs
    .command('cancel <run_id>')
    .description('ask a run to stop; a call that is executing is allowed to finish')
    .option('--reason <words>', 'the reason, for the audit')
    .action(async (run_id: string, { reason }: { reason?: string }) => {
      const body = JSON.stringify(reason === undefined ? {} : { reason })
      const reply = await cli.send('POST', `${pathOf(run_id)}/cancel`, body)
      const say = (run: PrintedFields) => cli.out().line(`${textOf(run['run_id'])} was asked to stop`)
      cli.exit(printReply(cli.out(), reply, say))
    })
  runs
    .command('resume <run_id>')
    .description('resume a faulted run')
    .action(async (run_id: string) => {
      const reply = await cli.send('POST', `${pathOf(run_id)}/resume`)
      const say = (run: PrintedFields) => cli.out().line(`${textOf(run['run_id'])} was resumed`)
      cli.exit(printReply(cli.out(), reply, say))
    })
}

const pathOf = (run_id: string) => `/v1/runs/${encodeURIComponent(run_id)}`

function printRuns(out: Out, body: PrintedFields): void {
  table(out, [['RUN', 'KIND', 'STATUS', 'OWNER', 'WAITS FOR', 'SINCE'], ...itemsOf(body).map(rowOf)], 'no runs')
  if (body['next'] !== undefined) out.line(`more: --after ${textOf(body['next'])}`)
}

function rowOf(run: PrintedFields): string[] {
  const owner = textOf(fieldsOf(run['owner'])['id'])
  const fault = textOf(fieldsOf(run['fault'])['says'])
  return [
    textOf(run['run_id']),
    textOf(run['kind']),
    textOf(run['status']),
    owner === '' ? '-' : owner,
    fault === '' ? textOf(run['waits_for'] ?? '-') : fault,
    timeOf(run['created_at']),
  ]
}

function printRun(out: Out, run: PrintedFields): void {
  const owner = fieldsOf(run['owner'])
  out.line(`${textOf(run['kind'])} ${textOf(run['run_id'])}: ${textOf(run['status'])}`, 'head')
  const lines: readonly (readonly [string, string])[] = [
    ['owner', owner['id'] === undefined ? '' : `${textOf(owner['id'])} for ${textOf(owner['user'])}`],
    ['session', textOf(run['thread'])],
    ['started by', textOf(run['parent'])],
    ['waits for', textOf(run['waits_for'])],
    ['in progress', (Array.isArray(run['executing']) ? run['executing'] : []).map(textOf).join(', ')],
    ['timers', timersOf(run)],
    ['created', timeOf(run['created_at'])],
    ['ended', run['ended_at'] === undefined ? '' : timeOf(run['ended_at'])],
    ['fault', faultOf(fieldsOf(run['fault']))],
  ]
  for (const [name, text] of lines) if (text !== '') out.line(`  ${name}: ${text}`)
  const events = Array.isArray(run['events']) ? run['events'].map(fieldsOf) : []
  for (const event of events)
    out.line(`  ${textOf(event['seq'])} ${textOf(event['type'])} ${subjectOf(event)}`.trimEnd())
}

const timersOf = (run: PrintedFields): string =>
  Object.entries(fieldsOf(run['timers']))
    .map(([name, at]) => `${name} at ${timeOf(at)}`)
    .join(', ')

function faultOf({ count, says, retry_at }: PrintedFields): string {
  if (count === undefined) return ''
  const next = retry_at === undefined ? 'needs `sluice runs resume`' : `retried at ${timeOf(retry_at)}`
  const often = count === 1 ? 'once' : `${textOf(count)} times in a row`
  return `failed ${often}: ${textOf(says)}; ${next}`
}

const SUBJECTS = ['key', 'name', 'call_id', 'approval_id', 'run_id', 'by']
const subjectOf = (event: PrintedFields): string =>
  SUBJECTS.map((name) => textOf(event[name]))
    .filter((text) => text !== '')
    .join(' ')
