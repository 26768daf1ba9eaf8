import type { Command } from 'commander'
import { oneOf, secondsToWait, wholeOf } from './option-values.ts'
import { printTypedFault, withoutPosition } from './print-typed-fault.ts'
import type { Cli } from './cli.ts'
import { fieldsOf, printOutcome, printReply, printRetry, textOf } from './print.ts'
import { PASSPHRASE_FILE, sendProven, type WithPassphrase } from './passphrase-commands.ts'
import { jsonArgument } from './json-argument.ts'
import { sendOnce } from './send-once.ts'

const READS_IT = 'the session that reads the output'
const RAW = "print only the tool's own text, for use in scripts"

/** Commands that make calls and show their outcomes. */
export function addCallCommands(program: Command, cli: Cli): void {
  program
    .command('call <tool> [args]')
    .description('call a tool through the gate; args is a JSON object, @file, or - for stdin')
    .option('--session <id>', 'the session that this call belongs to')
    .option('--dry-run', 'only preview the call')
    .option('--wait <seconds>', 'wait up to this long for the outcome', secondsToWait, 0)
    .option('--idempotency-key <key>', 'a repeated call with the same key and arguments runs only once')
    .option('--words <text>', 'what the user asked for, in their own words')
    .option('--raw', RAW)
    .action(async (tool: string, args: string | undefined, options: CallOptions) => {
      const text = jsonArgument(args ?? '{}')
      const more = [
        ...(options.session === undefined ? [] : [`"thread":${JSON.stringify(options.session)}`]),
        ...(options.dryRun === true ? ['"dry_run":"only"'] : []),
        ...(options.words === undefined ? [] : [`"user_words":${JSON.stringify(options.words)}`]),
      ]
      // The arguments are sent as text: parsing them here could hide something that the gate must reject.
      const body = `{${[`"tool":${JSON.stringify(tool)}`, ...more, `"args":${text}`].join(',')}}`
      const path = `/v1/calls?wait_ms=${milliseconds(options.wait)}`
      const key = options.idempotencyKey
      const reply = await sendOnce(cli, {
        path,
        body,
        outcomes: '/v1/calls',
        ...(key === undefined ? {} : { key }),
      })
      const typed = { body, typed: text }
      cli.exit(printOutcome(cli.out(), withoutPosition(reply, typed), options.raw === true))
      printTypedFault(cli.out(), reply, typed)
    })

  program
    .command('status [call_id]')
    .description('show the outcome of a call, without running anything')
    .option('--wait <seconds>', 'wait up to this long for the outcome', secondsToWait, 0)
    .option('--idempotency-key <key>', 'the call you made with this idempotency key, instead of a call id')
    .option('--session <id>', READS_IT)
    .option('--raw', RAW)
    .action(async (id: string | undefined, options: StatusOptions) => {
      const key = options.idempotencyKey
      if ((id === undefined) === (key === undefined))
        return cli.fail('name the call: sluice status CALL_ID, or --idempotency-key KEY')
      const place = key === undefined ? encodeURIComponent(id ?? '') : `by-key/${encodeURIComponent(key)}`
      const wait = `wait_ms=${milliseconds(options.wait)}`
      const reply = await cli.send('GET', `/v1/calls/${place}?${wait}${sessionOf(options)}`)
      cli.exit(printOutcome(cli.out(), reply, options.raw === true))
    })
}

/** Commands for calls that were made before. */
export function addPastCallCommands(program: Command, cli: Cli): void {
  program
    .command('settle')
    .argument('<call_id>')
    .argument('<as>', 'retry, done or failed', oneOf('retry', 'done', 'failed'))
    .description(
      'end a call with an unknown outcome: `retry` runs it again once it is approved, `done` or `failed` records what happened',
    )
    .option(...PASSPHRASE_FILE)
    .action(async (id: string, as: string, options: WithPassphrase) => {
      const path = `/v1/calls/${encodeURIComponent(id)}/resume`
      const reply = await sendProven(cli, path, options.passphraseFile, { as })
      cli.exit(
        printReply(cli.out(), reply, (body) => {
          const retry = fieldsOf(body['retry'])
          if (body['retry'] === undefined) cli.out().line(`${id} is now ${textOf(body['status'])}`)
          else printRetry(cli.out(), retry)
        }),
      )
    })

  program
    .command('withdraw <call_id>')
    .description('withdraw your own held call')
    .action(async (id: string) => {
      const reply = await cli.send('POST', `/v1/calls/${encodeURIComponent(id)}/withdraw`)
      cli.exit(printReply(cli.out(), reply, () => cli.out().line(`${id} is withdrawn`)))
    })

  program
    .command('artifact <digest>')
    .description('print a large output that was stored separately')
    .option('--from <character>', 'first character to show', wholeOf, 0)
    .option('--session <id>', READS_IT)
    .option('--raw', RAW)
    .action(async (digest: string, options: { from: number; session?: string; raw?: boolean }) => {
      const reply = await cli.send(
        'GET',
        `/v1/artifacts/${encodeURIComponent(digest.replace(/^artifact:\/\//, ''))}?from=${options.from}${sessionOf(options)}`,
      )
      const out = cli.out()
      const print = options.raw === true ? out.data : out.framed
      cli.exit(
        printReply(out, reply, ({ text, size }) => {
          print(textOf(text))
          const end = options.from + textOf(text).length
          if (end < Number(size))
            out.error(
              `truncated: characters ${options.from} to ${end} of ${textOf(size)}; continue with sluice artifact ${digest} --from ${end}`,
              'held',
            )
        }),
      )
    })
}

const sessionOf = ({ session }: { readonly session?: string }): string =>
  session === undefined ? '' : `&session=${encodeURIComponent(session)}`

type StatusOptions = {
  readonly wait: number
  readonly idempotencyKey?: string
  readonly session?: string
  readonly raw?: boolean
}

type CallOptions = {
  readonly words?: string
  readonly session?: string
  readonly dryRun?: boolean
  readonly wait: number
  readonly idempotencyKey?: string
  readonly raw?: boolean
}

const milliseconds = (seconds: number): number => Math.round(seconds * 1000)
