import { issueLines } from '../../contract/issue-lines.ts'
import { Option, type Command } from 'commander'
import { KeyBody } from '../../contract/api.ts'
import { CallerKind } from '../../contract/caller.ts'
import { FlowRole } from '../../contract/flows.ts'
import { PROBLEMS, refuse } from '../../contract/problems.ts'
import { Surface } from '../../contract/surface.ts'
import { UNREACHED, type Reply } from './client.ts'
import { secondsOf } from './consent-words.ts'
import { countOf, oneOf } from './option-values.ts'
import { asBody, fieldsOf, itemsOf, printProblem, printReply, table, textOf, timeOf, type Fields } from './print.ts'
import type { Session } from './session.ts'

type NewKey = {
  user?: string
  ttl?: string
  tools?: string[]
  calls?: number
  surface?: string
  flowRole?: string
  vault?: string
  speaksForUser?: boolean
  newFolder?: boolean
}

/** Credentials and signing keys. */
export function addKeyCommands(program: Command, session: Session): void {
  const keys = program.command('keys').description('credentials and signing keys')
  keys
    .command('create')
    .argument('<kind>', CallerKind.options.join(', '), oneOf(...CallerKind.options))
    .argument('<name>', 'letters, digits and . _ @ -')
    .description('create a key for an agent, user, approver, reviewer, admin or node; it is shown once')
    .option('--user <user>', 'the user it belongs to')
    .option('--ttl <span>', 'how long it is valid, such as 30m, 12h or 90d')
    .option('--tools <globs...>', "restrict it to these tools, such as 'mail__*'")
    .option('--calls <count>', 'maximum number of calls', countOf)
    .addOption(new Option('--flow-role <role>', 'what it may see of flows').choices(FlowRole.options))
    .option('--vault <vault>', 'the only vault of flows that it knows')
    .option('--speaks-for-user', 'trust this key to report what its user said')
    .option('--new-folder', 'without a running gate: create the data folder if it does not exist')
    .addOption(new Option('--surface <surface>', 'the tools an MCP client with this key sees').choices(Surface.options))
    .action(async (kind: string, name: string, options: NewKey) => {
      const ttl_s = options.ttl === undefined ? undefined : secondsOf(options.ttl)
      if (options.ttl !== undefined && ttl_s === undefined)
        return session.fail(`\`${options.ttl}\` is not a duration such as 30m, 12h or 90d`)
      const body = {
        kind,
        name,
        ...(options.user === undefined ? {} : { user: options.user }),
        ...(ttl_s === undefined ? {} : { ttl_s }),
        ...(options.tools === undefined ? {} : { tools: options.tools }),
        ...(options.calls === undefined ? {} : { calls: options.calls }),
        ...(options.surface === undefined ? {} : { surface: options.surface }),
        ...(options.flowRole === undefined ? {} : { flow_role: options.flowRole }),
        ...(options.vault === undefined ? {} : { vault: options.vault }),
        ...(options.speaksForUser === true ? { speaks_for_user: true } : {}),
      }
      const asked = await session.ask('POST', '/v1/keys', body)
      const reply =
        asked.status === UNREACHED && !session.isElsewhere()
          ? await createOffline(session, body, options.newFolder === true)
          : asked
      session.exit(printReply(session.out(), reply, (created) => session.out().line(textOf(created['key']))))
    })
  keys
    .command('list')
    .description('list all keys, without their secrets')
    .action(async () => {
      const reply = await session.send('GET', '/v1/keys')
      session.exit(
        printReply(session.out(), reply, (body) =>
          table(
            session.out(),
            [['KEY', 'CALLER', 'USER', 'CREATED', 'STATE', 'SURFACE', 'LIMITS'], ...itemsOf(body).map(rowOf)],
            'no keys',
          ),
        ),
      )
    })
  keys
    .command('revoke <key_id>')
    .description('revoke a key')
    .action(async (id: string) => {
      const reply = await session.send('DELETE', `/v1/keys/${encodeURIComponent(id)}`)
      session.exit(printReply(session.out(), reply, () => session.out().line(`${id} is revoked`)))
    })
  keys
    .command('rotate')
    .argument('<which>', 'token or checkpoint', oneOf('token', 'checkpoint'))
    .description('replace a signing key: token or checkpoint')
    .action(async (which: string) => {
      const reply = await session.send('POST', '/v1/keys/rotate', { which })
      session.exit(printReply(session.out(), reply, () => session.out().line(`the ${which} key was replaced`)))
    })
  keys
    .command('reset')
    .description(
      'create new signing keys for a data folder that lost its own, and a new admin key; the gate must be stopped',
    )
    .action(async () => {
      const done = await session.reset()
      if (!done.ok) return session.exit(printProblem(session.out(), asBody(done.problem)))
      const { set_aside, admin_key } = done.value
      for (const file of set_aside) session.out().line(`moved aside ${file}`)
      session.out().line('the lost signing keys were replaced; old signatures can no longer be verified')
      if (admin_key !== undefined)
        session.out().line(`the new admin key is in ${admin_key}; the previous one was revoked`)
    })
}

/** Without a running gate the folder's owner creates the key: a gate that other machines can reach does not start without one. */
async function createOffline(session: Session, body: unknown, isNewFolder: boolean): Promise<Reply> {
  const wanted = KeyBody.safeParse(body)
  const created = wanted.success
    ? await session.createKey(wanted.data, isNewFolder)
    : refuse('request.invalid', { paths: issueLines(wanted.error.issues, 'the key').join('; ') })
  if (created.ok) session.out().error(`no gate is running; the key was created in ${created.value.data}`, 'quiet')
  const answer = created.ok ? { key: created.value.key } : asBody(created.problem)
  const status = created.ok ? 201 : PROBLEMS[created.problem.code].http
  return { status, text: JSON.stringify(answer), body: answer }
}

function rowOf(key: Fields): string[] {
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
