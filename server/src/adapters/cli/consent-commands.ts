import type { Command } from 'commander'
import { CONSENT_STATES } from '../../kernel/contract/consent-text.ts'
import type { ConsentState } from '../../kernel/contract/consent.ts'
import { boundsWords, constraintOf, secondsOf } from './consent-words.ts'
import { jsonArgument } from './json-argument.ts'
import { count, fieldsOf, itemsOf, printReply, table, textOf, timeOf, type PrintedFields, type Out } from './print.ts'
import { countOf } from './option-values.ts'
import { PASSPHRASE_FILE, sendProven } from './passphrase-commands.ts'
import type { Cli } from './cli.ts'

type MintOptions = {
  readonly calls: number
  readonly for: string
  readonly cost?: string
  readonly arg: readonly string[]
  readonly args?: string
  readonly anyArgs?: boolean
  readonly lane: readonly string[]
  readonly definition?: string
  readonly passphraseFile?: string
}

const collect = (one: string, before: readonly string[]) => [...before, one]

/** Consents: mint, list, revoke. */
export function addConsentCommands(program: Command, cli: Cli): void {
  const consent = program.command('consent').description('permissions granted in advance, within limits')
  consent
    .command('mint <actor> <tool>')
    .description('let caller:ID (or a glob) or user:NAME call a tool (or server__glob) without approval')
    .requiredOption('--calls <n>', 'maximum number of calls', countOf)
    .requiredOption('--for <span>', 'how long: 90s, 30m, 2h, 7d')
    .option('--cost <units>', 'maximum total cost')
    .option(
      '--arg <constraint>',
      `what one argument may be: '/to equals "bob"', in, prefix, min, max, or '/text any'; calls with arguments that are not named stay held`,
      collect,
      [],
    )
    .option('--args <json>', 'only with exactly these arguments')
    .option('--any-args', 'with any arguments')
    .option('--lane <glob>', 'only on this model lane', collect, [])
    .option('--definition <hash>', 'only while the tool has this definition hash')
    .option(...PASSPHRASE_FILE)
    .action(async (actor: string, tool: string, options: MintOptions) => {
      const args = argsOf(options)
      if (args === undefined) return cli.fail(ARGS_USAGE)
      const expires_in_s = secondsOf(options.for)
      if (expires_in_s === undefined) return cli.fail(`\`${options.for}\` is not a duration such as 30m, 2h or 7d`)
      const what = { tool: quoted(tool), args, definition_hash: quoted(options.definition) }
      const body = (passphrase: string | undefined) =>
        objectText({
          actor: quoted(actor),
          what: objectText(what),
          lanes: options.lane.length === 0 ? undefined : JSON.stringify(options.lane),
          calls: quoted(options.calls),
          cost: options.cost === undefined ? undefined : quoted(Number(options.cost)),
          expires_in_s: quoted(expires_in_s),
          passphrase: quoted(passphrase),
        })
      const reply = await sendProven(cli, '/v1/consents', options.passphraseFile, body)
      cli.exit(printReply(cli.out(), reply, (minted) => printMinted(cli.out(), minted)))
    })
  consent
    .command('list')
    .description('list consents and what is left of each')
    .option('--all', 'include consents that are used up, expired or revoked')
    .action(async (options: { all?: boolean }) => {
      const reply = await cli.send('GET', '/v1/consents?limit=200')
      cli.exit(printReply(cli.out(), reply, (body) => printConsents(cli.out(), body, options.all === true)))
    })
  consent
    .command('revoke <consent_id>')
    .description('revoke a consent immediately')
    .action(async (id: string) => {
      const reply = await cli.send('DELETE', `/v1/consents/${encodeURIComponent(id)}`)
      cli.exit(printReply(cli.out(), reply, () => cli.out().line(`${id} is revoked`)))
    })
}

const ARGS_USAGE =
  "specify the allowed arguments: --arg '/to equals \"bob\"' (again for each), --args '{…}' or --any-args"

/** The constraints as JSON text; undefined if there are none, if they are given in two ways, or if one cannot be parsed. */
function argsOf({ arg, args, anyArgs }: MintOptions): string | undefined {
  const exact = args === undefined ? [] : [`[{"path":"","op":"equals","value":${jsonArgument(args)}}]`]
  const free = anyArgs === true ? ['[{"path":"","op":"any"}]'] : []
  const named = arg.map(constraintOf)
  if (named.includes(undefined)) return undefined
  const ways = [...exact, ...free, ...(named.length === 0 ? [] : [JSON.stringify(named)])]
  return ways.length === 1 ? ways[0] : undefined
}

const quoted = (value: string | number | undefined) => (value === undefined ? undefined : JSON.stringify(value))

/** Builds an object from JSON texts without parsing them, so that the gate gets exactly what was typed. */
function objectText(members: Readonly<Record<string, string | undefined>>): string {
  const texts = Object.entries(members).filter(([, json]) => json !== undefined)
  return `{${texts.map(([name, json]) => `"${name}":${json}`).join(',')}}`
}

/** A consent, and what it permits and leaves open. */
export function printMinted(out: Out, minted: PrintedFields): void {
  const { tool } = fieldsOf(minted['what'])
  const calls = `${count(minted['calls'], 'call')} of ${textOf(tool)}`
  out.line(
    `${textOf(minted['consent_id'])} permits ${textOf(minted['actor'])} ${calls} until ${timeOf(minted['expires_at'])}`,
  )
  out.line(`  ${boundsWords(minted)}`)
}

function printConsents(out: Out, body: PrintedFields, all: boolean): void {
  const shown = itemsOf(body).filter(({ state }) => all || state === 'active')
  if (shown.length === 0)
    return out.line(
      all || itemsOf(body).length === 0
        ? 'no consents'
        : 'no active consents; see the others with `sluice consent list --all`',
    )
  table(out, [['CONSENT', 'STATE', 'FOR', 'TOOL', 'ARGUMENTS', 'CALLS LEFT', 'UNTIL', 'BY'], ...shown.map(rowOf)])
}

const unitsOf = ({ calls_left, calls, cost_left, cost }: PrintedFields): string => {
  const counted = `${textOf(calls_left)} of ${textOf(calls)}`
  return cost === undefined ? counted : `${counted}, cost ${textOf(cost_left)} of ${textOf(cost)}`
}

function rowOf(item: PrintedFields): string[] {
  const { tool } = fieldsOf(item['what'])
  return [
    textOf(item['consent_id']),
    CONSENT_STATES[item['state'] as ConsentState] ?? textOf(item['state']),
    textOf(item['actor']),
    textOf(tool),
    boundsWords(item),
    unitsOf(item),
    timeOf(item['expires_at']),
    textOf(item['minted_by']),
  ]
}
