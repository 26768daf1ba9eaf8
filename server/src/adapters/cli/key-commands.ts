import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { Option, type Command } from 'commander'
import { KeyBody } from '../../kernel/contract/api.ts'
import { CallerKind, type KeyGrant } from '../../kernel/contract/caller.ts'
import { KeyId } from '../../kernel/contract/ids.ts'
import { refuse, specOf, type Result } from '../../kernel/contract/problems.ts'
import { Surface } from '../../kernel/contract/caller.ts'
import { UNREACHED, type GateResponse } from './client.ts'
import { secondsOf } from './consent-words.ts'
import { proven, PASSPHRASE_FILE, type WithPassphrase } from './passphrase-commands.ts'
import { countOf, oneOf } from './option-values.ts'
import {
  asBody,
  fieldsOf,
  itemsOf,
  printProblem,
  printReply,
  table,
  textOf,
  timeOf,
  type PrintedFields,
} from './print.ts'
import type { Cli, Globals } from './cli.ts'

/** The files that were renamed, and where the owner's new admin key is. */
export type ResetReport = { readonly set_aside: readonly string[]; readonly admin_key?: string }

type NewKey = { readonly ttl?: string; readonly newFolder?: boolean } & WithPassphrase

/** Options as fields of a request: `--flow-role` is `flow_role`. */
const inSnakeCase = (options: Readonly<Record<string, unknown>>): PrintedFields =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )

const KEY_HEADINGS = ['KEY', 'CALLER', 'USER', 'CREATED', 'STATE', 'SURFACE', 'LIMITS']

/** What the owner of a data folder can do while no gate runs on it. */
type OfflineKeys = {
  create(
    options: Globals,
    wanted: KeyBody,
    isNewFolder: boolean,
  ): Promise<Result<{ readonly key: string; readonly data: string }>>
  /** Creates new signing keys for a data folder that lost its own. */
  reset(options: Globals): Promise<Result<ResetReport>>
}

/** Credentials and signing keys. */
export function addKeyCommands(program: Command, cli: Cli, offline: OfflineKeys): void {
  const keys = program.command('keys').description('credentials and signing keys')
  const create = keys
    .command('create')
    .argument('<kind>', CallerKind.options.join(', '), oneOf(...CallerKind.options))
    .argument('<name>', 'letters, digits and . _ @ -')
    .description('create a key for an agent, user, approver, reviewer, admin or node; it is shown once')
    .option('--user <user>', 'the user it belongs to')
    .option('--ttl <span>', 'how long it is valid, such as 30m, 12h or 90d')
    .option('--tools <globs...>', "restrict it to these tools, such as 'mail__*'")
    .option('--calls <count>', 'maximum number of calls', countOf)
  cli.extend(create)
  create
    .option('--speaks-for-user', 'trust this key to report what its user said')
    .option('--new-folder', 'without a running gate: create the data folder if it does not exist')
    .option(...PASSPHRASE_FILE)
    .addOption(new Option('--surface <surface>', 'the tools an MCP client with this key sees').choices(Surface.options))
    .action(async (kind: string, name: string, options: NewKey) => {
      const { ttl, newFolder = false, passphraseFile, ...fields } = options
      const ttl_s = ttl === undefined ? undefined : secondsOf(ttl)
      if (ttl !== undefined && ttl_s === undefined)
        return cli.fail(`\`${ttl}\` is not a duration such as 30m, 12h or 90d`)
      const body = { kind, name, ...(ttl_s === undefined ? {} : { ttl_s }), ...inSnakeCase(fields) }
      const reply = await proven(passphraseFile, body, async (whole) => {
        const asked = await cli.ask('POST', '/v1/keys', whole)
        const isOffline = asked.status === UNREACHED && !cli.isElsewhere()
        return isOffline ? createOffline(cli, offline.create, whole, newFolder) : asked
      })
      cli.exit(printReply(cli.out(), reply, (created) => cli.out().line(textOf(created['key']))))
    })
  keys
    .command('list')
    .description('list all keys, without their secrets')
    .action(async () => {
      const reply = await cli.send('GET', '/v1/keys')
      cli.exit(
        printReply(cli.out(), reply, (body) =>
          table(cli.out(), [KEY_HEADINGS, ...itemsOf(body).map(rowOf)], 'no keys'),
        ),
      )
    })
  keys
    .command('revoke <key>')
    .description('revoke a key, by its id or by the name of its caller, and with it what it granted')
    .option('--keep-grants', 'revoke only the key, and keep the consents, delegations and approvals that it gave')
    .option('--dry-run', 'revoke nothing; show what would end')
    .action(async (named: string, options: { keepGrants?: boolean; dryRun?: boolean }) => {
      const id = await keyNamed(cli, named)
      if (id === undefined) return
      const path = `/v1/keys/${encodeURIComponent(id)}`
      const isDry = options.dryRun === true
      const reply = isDry
        ? await cli.send('GET', `${path}/grants`)
        : await cli.send('DELETE', options.keepGrants === true ? `${path}?keep_grants=1` : path)
      cli.exit(
        printReply(cli.out(), reply, (body) => {
          if (!isDry) cli.out().line(`${id} is revoked`)
          printGrants(cli, itemsOf({ items: body['grants'] }), isDry)
        }),
      )
    })
  keys
    .command('rotate')
    .argument('<which>', 'token or checkpoint', oneOf('token', 'checkpoint'))
    .description('replace a signing key: token or checkpoint')
    .action(async (which: string) => {
      const reply = await cli.send('POST', '/v1/keys/rotate', { which })
      cli.exit(printReply(cli.out(), reply, () => cli.out().line(`the ${which} key was replaced`)))
    })
  keys
    .command('reset')
    .description(
      'create new signing keys for a data folder that lost its own, and a new admin key; the gate must be stopped',
    )
    .action(async () => {
      const done = await offline.reset(cli.globals())
      if (!done.ok) return cli.exit(printProblem(cli.out(), asBody(done.problem)))
      const { set_aside, admin_key } = done.value
      for (const file of set_aside) cli.out().line(`moved aside ${file}`)
      cli.out().line('the lost signing keys were replaced; old signatures can no longer be verified')
      if (admin_key !== undefined) cli.out().line(`the new admin key is in ${admin_key}; the previous one was revoked`)
    })
}

/** Without a running gate the folder's owner creates the key: a gate that other machines can reach does not start without one. */
async function createOffline(
  cli: Cli,
  create: OfflineKeys['create'],
  body: unknown,
  isNewFolder: boolean,
): Promise<GateResponse> {
  const wanted = KeyBody.safeParse(body)
  const created = wanted.success
    ? await create(cli.globals(), wanted.data, isNewFolder)
    : refuse('request.invalid', { paths: issueLines(wanted.error.issues, 'the key').join('; ') })
  if (created.ok) cli.out().error(`no gate is running; the key was created in ${created.value.data}`, 'quiet')
  const answer = created.ok ? { key: created.value.key } : asBody(created.problem)
  const status = created.ok ? 201 : specOf(created.problem).http
  return { status, text: JSON.stringify(answer), body: answer }
}

/** The id of the one live key with this id, caller or name. Several have to be told apart by the person who revokes. */
async function keyNamed(cli: Cli, named: string): Promise<string | undefined> {
  if (KeyId.safeParse(named).success) return named
  const keys: PrintedFields[] = []
  for (let after: string | undefined = '0'; after !== undefined;) {
    const reply = await cli.send('GET', `/v1/keys?after=${after}`)
    if (reply.status !== 200) {
      cli.exit(printReply(cli.out(), reply, () => undefined))
      return undefined
    }
    keys.push(...itemsOf(reply.body))
    const next = fieldsOf(reply.body)['next']
    after = next === undefined ? undefined : textOf(next)
  }
  const isMeant = (key: PrintedFields): boolean => {
    const id = textOf(fieldsOf(key['caller'])['id'])
    return key['state'] !== 'revoked' && (id === named || id.slice(id.indexOf(':') + 1) === named)
  }
  const found = keys.filter(isMeant)
  const [only] = found
  if (found.length === 1 && only !== undefined) return textOf(only['key_id'])
  if (found.length > 1) table(cli.out(), [KEY_HEADINGS, ...found.map(rowOf)])
  cli.fail(
    found.length === 0
      ? `there is no active key of \`${named}\`; list the keys with \`sluice keys list\``
      : `\`${named}\` has ${found.length} keys: name one by its id`,
  )
  return undefined
}

const WHAT: Readonly<Record<KeyGrant['what'], string>> = {
  consent: 'consent',
  flow_consent: 'flow consent',
  delegation: 'delegation',
  approval: 'approval',
  held_call: 'held call',
  login: 'login',
  key: 'key that it created',
}

function printGrants(cli: Cli, grants: readonly PrintedFields[], isDry: boolean): void {
  const groups = [
    [isDry ? 'would end with it' : 'ended with it', grants.filter((grant) => grant['ends'] === true)],
    [isDry ? 'would not be affected' : 'not affected', grants.filter((grant) => grant['ends'] !== true)],
  ] as const
  for (const [title, some] of groups) {
    if (some.length === 0) continue
    const row = (grant: PrintedFields) => [nameOf(grant), textOf(grant['id']), textOf(grant['says'])]
    table(cli.out(), [[`${title}: ${some.length}`, '', ''], ...some.map(row)])
  }
  if (grants.length === 0) cli.out().line(isDry ? 'nothing else would end with it' : 'nothing else ended with it')
}

const nameOf = (grant: PrintedFields): string => `  ${WHAT[grant['what'] as KeyGrant['what']] ?? textOf(grant['what'])}`

function rowOf(key: PrintedFields): string[] {
  const caller = fieldsOf(key['caller'])
  const { tools, calls } = fieldsOf(caller['grant'])
  const limits = [
    Array.isArray(tools) ? tools.join(' ') : '',
    calls === undefined ? '' : `${textOf(key['calls_left'])} of ${textOf(calls)} calls left`,
    key['expires_at'] === undefined ? '' : `until ${timeOf(key['expires_at'])}`,
  ]
  return [
    textOf(key['key_id']),
    textOf(caller['id']),
    textOf(caller['user']),
    timeOf(key['created_at']),
    textOf(key['state']),
    textOf(caller['surface'] ?? ''),
    limits.filter((limit) => limit !== '').join(', '),
  ]
}
