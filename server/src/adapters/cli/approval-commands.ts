import type { Command } from 'commander'
import type { Guest } from '../../kernel/registries.ts'
import { UNREACHED, type GateResponse } from './client.ts'
import { argumentLines } from './argument-lines.ts'
import { askApproval, askReason, confirmed, hasTerminal, isStrong } from './confirm.ts'
import { boundsOf } from './consent-words.ts'
import { editedArguments } from './edit-arguments.ts'
import { EXIT } from './exit-codes.ts'
import { jsonArgument } from './json-argument.ts'
import { fieldsOf, itemsOf, printWarnings, printReply, textOf, type PrintedFields, type Out } from './print.ts'
import { printPacket, unfoldedIn } from './print-packet.ts'
import { printTypedFault, withoutPosition, type TypedText } from './print-typed-fault.ts'
import { PASSPHRASE_FILE, sendProven } from './passphrase-commands.ts'
import type { Cli } from './cli.ts'
import { watchApprovals } from './watch-approvals.ts'
import { alikeKey, groupSentence, oddOf, type AlikePacket } from '../../kernel/contract/alike.ts'
import type { PacketAnswer } from '../../kernel/approvals/packet-answer.ts'
import { sentenceText } from '../../kernel/contract/sentence.ts'
import type { z } from 'zod'
import { missingWords } from './asked-lines.ts'
import { printMinted } from './consent-commands.ts'

/** Pending requests, and decisions about them. */
export function addApprovalCommands(program: Command, cli: Cli, inbox: Guest['inbox']): void {
  program
    .command('approvals [show] [approval_id]')
    .description('list pending requests, or show one in full: `approvals show ID`, or just `approvals ID`')
    .option('--state <state>', 'pending, approved, denied, … or any', 'pending')
    .option('--watch', 'open a live inbox and decide requests with the keyboard')
    .option('--reveal', 'for one request: also show redacted text; this is recorded in the audit')
    .action(async (first: string | undefined, second: string | undefined, options: ListOptions) => {
      const out = cli.out()
      if (options.watch === true) return cli.exit(await watchApprovals(cli, inbox))
      const id = first === 'show' ? second : first
      if (first === 'show' && id === undefined) return cli.fail('name the request: sluice approvals show ID')
      if (first !== 'show' && second !== undefined) return cli.fail(`unexpected argument \`${second}\``)
      if (id !== undefined) return showApproval(cli, id, options.reveal === true)
      if (options.reveal === true) return cli.fail('name the request: sluice approvals show ID --reveal')
      const reply = await cli.send('GET', `/v1/approvals?state=${encodeURIComponent(options.state)}&limit=200`)
      const code = printReply(out, reply, (body) => {
        const items = itemsOf(body)
        if (items.length === 0) out.line('no pending requests')
        for (const item of items) printPacket(out, item)
      })
      if (!out.json && options.state === 'pending') await printUnknown(out, cli)
      printWarnings(out, reply.body)
      cli.exit(code)
    })

  program
    .command('approve <approval_id>')
    .description('approve a call, after showing what would run')
    .option('--digest <digest>', 'digest of the request you were shown; without it, the request is shown first')
    .option('--alike', 'also approve the similar pending requests: same tool, agent, session and reasons')
    .option('--reason <text>', 'the reason, for the audit and the agent')
    .option('--remember <bounds>', "also allow the same call in future: '10 calls for 2h', or the bounds as JSON")
    .option(...TYPED)
    .option(...PASSPHRASE_FILE)
    .action(async (id: string, options: ApproveOptions) => {
      const remember = options.remember === undefined ? undefined : boundsOf(options.remember)
      if (options.remember !== undefined && remember === undefined)
        return cli.fail(`\`${options.remember}\` is neither like '10 calls for 2h' nor a JSON object`)
      if (options.alike === true) {
        if (remember !== undefined || options.digest !== undefined || options.typed !== undefined)
          return cli.fail('--alike cannot be combined with --remember, --digest or --typed')
        return approveAlike(cli, id, options)
      }
      const shown = await showToApprove(cli, id, options)
      if (shown === undefined) return
      const body = (passphrase: string | undefined) => ({
        decision: 'approve',
        ...shown,
        ...(options.reason === undefined ? {} : { reason: options.reason }),
        ...(remember === undefined ? {} : { remember }),
        ...(passphrase === undefined ? {} : { passphrase }),
      })
      const path = `/v1/approvals/${encodeURIComponent(id)}/decide`
      const reply = await sendProven(cli, path, options.passphraseFile, body)
      cli.exit(printReply(cli.out(), reply, (answer) => printDecided(cli.out(), answer)))
    })

  program
    .command('deny <approval_id>')
    .description('deny a call')
    .option('--reason <text>', 'the reason, for the audit and the agent')
    .action(async (id: string, options: { reason?: string }) => {
      await decide(cli, id, { decision: 'deny', ...(await askReason(options.reason)) })
    })

  program
    .command('edit <approval_id> [args]')
    .description(
      'correct the arguments: a new request replaces the old one. Without arguments, $EDITOR opens with the current ones',
    )
    .action(async (id: string, args: string | undefined) => {
      const typed = args === undefined ? await editedArguments(cli, id) : jsonArgument(args)
      if (typed === undefined) return
      const body = `{"decision":"edit","args":${typed}}`
      const reply = await decide(cli, id, body, { body, typed })
      printTypedFault(cli.out(), reply, { body, typed })
    })

  program
    .command('token <approval_id>')
    .description("issue a token for the user of the request's session; give it to them outside that session")
    .action(async (id: string) => {
      await showFirst(cli, id)
      const reply = await cli.send('POST', `/v1/approvals/${encodeURIComponent(id)}/token`)
      cli.exit(printReply(cli.out(), reply, (body) => cli.out().line(textOf(body['token']))))
    })

  program
    .command('redeem <approval_id> <token>')
    .description('answer a request with a token, as the user of its session')
    .requiredOption('--session <id>', 'the session in which the call was made')
    .option('--deny', 'deny instead of approve')
    .option('--reason <text>', 'the reason of a denial, for the audit and the agent')
    .action(async (id: string, token: string, options: { session: string; deny?: boolean; reason?: string }) => {
      if (options.deny !== true) await showFirst(cli, id)
      const decision =
        options.deny === true ? { decision: 'deny', ...(await askReason(options.reason)) } : { decision: 'approve' }
      const body = { token, thread: options.session, ...decision }
      const reply = await cli.send('POST', `/v1/approvals/${encodeURIComponent(id)}/redeem`, body)
      cli.exit(printReply(cli.out(), reply, (answer) => printDecided(cli.out(), answer)))
    })
}

type ListOptions = { readonly state: string; readonly watch?: boolean; readonly reveal?: boolean }
type ApproveOptions = {
  readonly alike?: boolean
  readonly digest?: string
  readonly typed?: string
  readonly reason?: string
  readonly remember?: string
  readonly passphraseFile?: string
}

async function showApproval(cli: Cli, id: string, reveal: boolean): Promise<void> {
  const out = cli.out()
  const path = `/v1/approvals/${encodeURIComponent(id)}`
  const reply = await cli.send('GET', path)
  if (!reveal || reply.status >= 400) return cli.exit(printReply(out, reply, (body) => printPacket(out, body, 'whole')))
  const revealed = await cli.send('POST', `${path}/reveal`)
  const whole = (body: PrintedFields) => ({ ...fieldsOf(reply.body), ...body, hidden: [] })
  cli.exit(printReply(out, revealed, (body) => printPacket(out, whole(body), 'whole')))
}

/** A token approves what is shown here, on stderr, because stdout has only the answer. */
async function showFirst(cli: Cli, id: string): Promise<void> {
  const out = cli.out()
  const reply = await cli.send('GET', `/v1/approvals/${encodeURIComponent(id)}`)
  const packet = fieldsOf(reply.body)
  if (!out.json && packet['state'] === 'pending') printPacket({ ...out, line: out.error }, packet, 'whole')
}

/** For a strong approval where there is no terminal. */
export const TYPED = [
  '--typed <text>',
  'for a strong approval: the recipient, amount, file or command that the request says to type. You are asked for it if it is left out',
] as const

/** What an approval repeats of the packet that was shown whole. */
type ShownPacket = { readonly digest: string; readonly unfolded?: readonly string[]; readonly typed?: string }

/**
 * Shows the packet before it is approved; in a terminal the person must confirm. Undefined if they do not. With a `digest`, it was shown before:
 * only `sluice approvals show`, which folds nothing, prints one.
 */
export async function showToApprove(
  cli: Cli,
  id: string,
  { digest, typed }: { readonly digest?: string; readonly typed?: string },
): Promise<ShownPacket | undefined> {
  const out = cli.out()
  const reply = await cli.send('GET', `/v1/approvals/${encodeURIComponent(id)}`)
  const packet = fieldsOf(reply.body)
  if (reply.status >= 400 || reply.status === UNREACHED) {
    cli.exit(printReply(out, reply, () => {}))
    return undefined
  }
  const given = typed === undefined ? {} : { typed }
  if (digest !== undefined) return { digest, ...given, ...(packet['digest'] === digest ? unfoldedIn(packet) : {}) }
  const shown = { digest: textOf(packet['digest']), ...unfoldedIn(packet) }
  if (packet['state'] !== 'pending') return shown
  // On stderr, because stdout has only the answer.
  if (!out.json) printPacket({ ...out, line: out.error }, packet, 'whole')
  const approval = await askApproval(packet, typed)
  if (approval !== undefined) return { ...shown, ...approval }
  out.error('nothing was decided')
  cli.exit(EXIT.problem)
  return undefined
}

async function decide(cli: Cli, id: string, body: unknown, text?: TypedText): Promise<GateResponse> {
  const reply = await cli.send('POST', `/v1/approvals/${encodeURIComponent(id)}/decide`, body)
  const shown = text === undefined ? reply : withoutPosition(reply, text)
  cli.exit(printReply(cli.out(), shown, (answer) => printDecided(cli.out(), answer)))
  return reply
}

/** Calls whose outcome is unknown also wait for a person. */
async function printUnknown(out: Out, cli: Cli): Promise<void> {
  const reply = await cli.send('GET', '/v1/calls?state=unknown&limit=200')
  for (const item of itemsOf(reply.body).filter(({ choices }) => choices !== undefined)) {
    const id = textOf(item['call_id'])
    out.line(`${id}  ${textOf(item['tool_id'])}  unknown: it is not known whether it took effect`)
    out.line('  arguments')
    const frame = { width: out.width - 4, most: 24, each: 8, more: '' }
    for (const line of argumentLines(textOf(item['proposed_args']), frame)) out.line(`    ${line}`)
    if (item['rollback'] !== undefined) out.line(`  ${textOf(item['rollback'])}`)
    const choices = Array.isArray(item['choices']) ? item['choices'].map(textOf) : []
    out.line(`  settle: sluice settle ${id} ${choices.join(' | ')}`)
  }
}

type Packet = z.infer<typeof PacketAnswer>
type Options = { readonly reason?: string; readonly passphraseFile?: string }

/**
 * Shows a request and those that are alike, then approves them all, each with the digest that was shown. Requests that hide
 * something, were edited, or belong to a changed tool are left out, for a separate decision. For strong ones, the person types what each of
 * them is about; the others stay pending.
 */
async function approveAlike(cli: Cli, id: string, options: Options): Promise<void> {
  const out = cli.out()
  const reply = await cli.send('GET', '/v1/approvals?state=pending&limit=200')
  if (reply.status >= 400 || reply.status === UNREACHED) return cli.exit(printReply(out, reply, () => {}))
  const pending = itemsOf(reply.body) as unknown as readonly Packet[]
  const first = pending.find(({ approval_id }) => approval_id === id)
  const key = first === undefined ? undefined : alikeKey(first)
  if (first === undefined || key === undefined)
    return cli.fail(`${id} has no similar requests; approve it alone: sluice approve ${id}`)
  const alike = pending.filter((packet) => alikeKey(packet) === key && (packet === first || !isLeftOut(packet)))
  if (!out.json) show(cli, alike)
  const isEach = isStrong(fieldsOf(first))
  if (!isEach && hasTerminal() && !(await confirmed(`approve these ${alike.length}?`))) {
    out.error('nothing was decided')
    return cli.exit(EXIT.problem)
  }
  let code = 0
  for (const packet of alike) {
    const { approval_id, digest, foldable } = packet
    const approval = isEach ? await askApproval(fieldsOf(packet)) : {}
    if (approval === undefined) {
      out.error(`${approval_id} stays pending`)
      continue
    }
    const path = `/v1/approvals/${encodeURIComponent(approval_id)}/decide`
    const decided = await sendProven(cli, path, options.passphraseFile, (passphrase) => ({
      decision: 'approve',
      digest,
      ...(foldable.length === 0 ? {} : { unfolded: foldable.map(({ id }) => id) }),
      ...approval,
      ...(options.reason === undefined ? {} : { reason: options.reason }),
      ...(passphrase === undefined ? {} : { passphrase }),
    }))
    code = Math.max(
      code,
      printReply(out, decided, (answer) => printDecided(out, answer)),
    )
  }
  cli.exit(code)
}

const isLeftOut = (packet: AlikePacket): boolean =>
  !['a value from an untrusted source', undefined].includes(oddOf(packet))

/** On stderr: the answer alone is on stdout. */
function show(cli: Cli, alike: readonly Packet[]): void {
  const out = { ...cli.out(), line: cli.out().error }
  for (const packet of alike) printPacket(out, fieldsOf(packet), 'whole')
  const together = groupSentence(alike.map(({ sentence }) => sentence))
  out.line(together === undefined ? `${alike.length} calls of ${alike[0]?.skill_id ?? ''}` : sentenceText(together))
}

/** What became of a request by a decision. */
function printDecided(out: Out, body: PrintedFields): void {
  const id = textOf(body['approval_id'])
  const state = textOf(body['state'])
  const asked = fieldsOf(body['asked'])
  if (body['replaces'] !== undefined)
    out.line(`${textOf(body['replaces'])} was edited; the new request is ${id}: sluice approve ${id}`)
  else if (state === 'pending')
    out.line(`${id} has ${textOf(asked['approved'])} of ${textOf(asked['people'])} approvals; ${missingWords(asked)}`)
  else out.line(`${id} is ${state}; outcome: sluice status ${textOf(body['call_id'])}`)
  if (body['consent'] !== undefined) printMinted(out, fieldsOf(body['consent']))
}
