import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { auditText } from '../../kernel/contract/audit-events.ts'
import { Checkpoint, type AuditReport } from '../../kernel/contract/audit.ts'
import { specOf, type Result } from '../../kernel/contract/problems.ts'
import { UNREACHED, type GateResponse } from './client.ts'
import { EXIT } from './exit-codes.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { countOf, oneOf, sinceOf } from './option-values.ts'
import { asBody, count, fieldsOf, itemsOf, printReply, textOf, timeOf, type PrintedFields, type Out } from './print.ts'
import type { Cli, Globals } from './cli.ts'

/** Verifies the audit of a data folder on which no gate runs. */
type VerifyOffline = (options: Globals, against: readonly Checkpoint[]) => Promise<Result<AuditReport>>

/** Commands that verify, read, export and prove the audit. */
export function addAuditCommands(program: Command, cli: Cli, verify: VerifyOffline): void {
  const audit = program.command('audit').description('the audit log')
  audit
    .command('verify')
    .description(
      'verify the whole hash chain and report the first bad entry; exits with 7 if some entries are not signed',
    )
    .option('--against <file>', 'a file with a checkpoint that you saved elsewhere')
    .action(async (options: { against?: string }) => {
      const against = options.against === undefined ? [] : checkpointsIn(options.against)
      if (against === undefined)
        return cli.fail(`\`${options.against}\` does not contain a checkpoint printed by \`sluice audit checkpoint\``)
      const asked = await cli.ask('POST', '/v1/audit/verify', { against })
      const reply = asked.status === UNREACHED ? await offline(() => verify(cli.globals(), against)) : asked
      const code = printReply(cli.out(), reply, (report) => printReport(cli.out(), report))
      cli.exit(code === EXIT.ok ? codeOfReport(fieldsOf(reply.body)) : code)
    })
  audit
    .command('export')
    .description(
      'export all entries and checkpoints, for `docs/verify-audit.mjs` or a spreadsheet; exits with 7 if the newest entries are not signed',
    )
    .option('--format <format>', 'jsonl or csv', oneOf('jsonl', 'csv'), 'jsonl')
    .option('--since <when>', 'a date, or a duration such as 7d or 12h', '')
    .action(async (options: { format: string; since: string }) => {
      const since = sinceOf(options.since)
      if (since === undefined)
        return cli.fail(`\`${options.since}\` is neither a date nor a duration such as 7d or 12h`)
      const reply = await cli.send(
        'GET',
        `/v1/audit/export?format=${encodeURIComponent(options.format)}&since=${since}`,
      )
      const code = printReply(cli.out(), reply, () => cli.out().data(reply.text.trimEnd()))
      cli.exit(code === EXIT.ok && options.format === 'jsonl' ? codeOfExport(cli.out(), reply.text) : code)
    })
  audit
    .command('tail')
    .description('print the newest entries, one per line; `--follow` keeps printing new ones')
    .option('-n, --lines <count>', 'how many', countOf, 20)
    .option('-f, --follow', 'keep printing new entries until Ctrl-C')
    .action((options: { lines: number; follow?: boolean }) => tailAudit(cli, options))
  audit
    .command('prove')
    .argument('<seq>', 'the number of the entry, from 1', countOf)
    .description('print a proof of one entry that can be checked without Sluice')
    .option('--stream <stream>', 'the audit stream, if there are several (one per node)')
    .action(async (seq: number, options: { stream?: string }) => {
      const stream = options.stream === undefined ? '' : `?stream=${encodeURIComponent(options.stream)}`
      const reply = await cli.send('GET', `/v1/audit/prove/${seq}${stream}`)
      cli.exit(printReply(cli.out(), reply, () => cli.out().data(reply.text)))
    })
  audit
    .command('checkpoint')
    .description('sign a checkpoint of the audit now, and print it so that you can save it elsewhere')
    .action(async () => {
      const reply = await cli.send('POST', '/v1/audit/checkpoint')
      cli.exit(printReply(cli.out(), reply, (body) => cli.out().data(JSON.stringify(body['checkpoint']))))
    })
  audit
    .command('key')
    .description('print the public keys that checkpoints are verified with, the active one first')
    .action(async () => {
      const reply = await cli.send('GET', '/v1/audit/keys')
      cli.exit(
        printReply(cli.out(), reply, (body) => {
          for (const { key, public_key, active } of itemsOf(body))
            cli.out().line(`${textOf(public_key)}  ${textOf(key)}${active === true ? '' : '  retired'}`)
        }),
      )
    })
  audit
    .command('accept-break')
    .description('continue after a broken audit: the stored entries are signed as they are, with your reason')
    .requiredOption('--reason <text>', 'recorded in the audit and shown by `audit verify`')
    .action(async (options: { reason: string }) => {
      const reply = await cli.send('POST', '/v1/audit/breaks', { reason: options.reason })
      cli.exit(
        printReply(cli.out(), reply, (body) => {
          const { number } = fieldsOf(fieldsOf(body['checkpoint'])['body'])
          cli.out().line(`accepted: checkpoint ${textOf(number)} starts a new part of the audit`)
          cli.out().line('entries before it are no longer guaranteed; keep a copy of the data folder as it was')
        }),
      )
    })
}

const codeOfReport = ({ ok, unsigned }: PrintedFields): number =>
  ok !== true ? EXIT.problem : unsigned === 0 ? EXIT.ok : EXIT.unsigned

/** The last line says whether the gate could sign the export. Without it the export broke off. */
function codeOfExport(out: Out, text: string): number {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  const { kind, signature, unsigned } = fieldsOf(parsedLine(last))
  if (kind !== 'end') out.error('the export is incomplete: it broke off before its last line')
  else if (signature === undefined)
    out.error(
      `the newest entries of the export are not signed (${textOf(unsigned)}): run \`sluice audit verify\` to see why`,
    )
  return kind !== 'end' ? EXIT.problem : signature === undefined ? EXIT.unsigned : EXIT.ok
}

function parsedLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One checkpoint per line; undefined if the file cannot be read or contains anything else. */
function checkpointsIn(file: string): readonly Checkpoint[] | undefined {
  try {
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    return lines.map((line) => Checkpoint.parse(JSON.parse(line)))
  } catch {
    return undefined
  }
}

/** Without a running gate, the data folder is read directly. */
async function offline(verify: () => ReturnType<VerifyOffline>): Promise<GateResponse> {
  const report = await verify()
  const body = report.ok ? report.value : asBody(report.problem)
  return { status: report.ok ? 200 : specOf(report.problem).http, text: JSON.stringify(body), body }
}

function printReport(out: Out, report: PrintedFields): void {
  const { entries, checkpoints, unsigned } = report
  const counted = `${count(entries, 'entry', 'entries')}, ${count(checkpoints, 'checkpoint')}, ${unsigned === 0 ? 'all signed' : `${count(unsigned, 'entry', 'entries')} not signed yet`}`
  const first = fieldsOf(report['first'])
  const where = `${textOf(first['what'])} at entry ${textOf(first['seq'])} of stream ${textOf(first['stream'])}`
  for (const { checkpoint, by, at, reason } of itemsOf({ items: report['breaks'] ?? [] }))
    out.line(
      `a break was accepted at checkpoint ${textOf(checkpoint)}, ${new Date(Number(at)).toISOString()}, by ${textOf(by)}: ${textOf(reason)}; older entries are not guaranteed`,
    )
  if (report['ok'] === true) out.line(`the audit verifies: ${counted}`)
  else out.error(`BROKEN: ${where}: ${textOf(first['says'])}`)
}

const PAGE = 200

/** Prints the newest entries, oldest first. With `follow`, keeps printing new ones until it is interrupted. */
async function tailAudit(
  cli: Cli,
  { lines, follow }: { readonly lines: number; readonly follow?: boolean },
): Promise<void> {
  const out = cli.out()
  let last = 0
  const print = (items: readonly PrintedFields[]) => {
    for (const entry of items) {
      last = Math.max(last, Number(entry['seq']))
      if (out.json) out.line(JSON.stringify(entry))
      else out.line(entryLine(entry))
    }
  }
  const first = await cli.send('GET', `/v1/audit?last=${Math.min(lines, PAGE)}`)
  if (first.status < 200 || first.status >= 400) return cli.exit(printReply(out, first, () => {}))
  print(itemsOf(first.body))
  if (follow !== true) return cli.exit(EXIT.ok)
  const look = oneAtATime(async () =>
    print(itemsOf((await cli.ask('GET', `/v1/audit?after=${last}&limit=${PAGE}`)).body)),
  )
  await new Promise<void>((stopped) => {
    const stop = cli.follow('/v1/stream', () => void look())
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        stop()
        stopped()
      })
  })
}

/** `12  2026-11-15 20:41:55Z  A call of mail__send by claude is held for approval  call.held tool=mail__send call=call_…`. */
function entryLine(entry: PrintedFields): string {
  const about = Object.entries(fieldsOf(entry['subject'])).map(([name, value]) => `${name}=${textOf(value)}`)
  const { seq, at, type } = entry
  return [textOf(seq), timeOf(at), textOf(auditText(entry)), [textOf(type), ...about].join(' ')].join('  ')
}
