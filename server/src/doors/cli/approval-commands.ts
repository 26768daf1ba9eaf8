import type { Command } from 'commander'
import { printMinted } from './consent-commands.ts'
import { boundsOf } from './consent-words.ts'
import { jsonArgument } from './json-argument.ts'
import { fieldsOf, itemsOf, printNotices, printReply, textOf, type Fields, type Out } from './print.ts'
import { printPacket } from './print-packet.ts'
import { sendProven } from './passphrase-commands.ts'
import { secretIn } from './read-secret.ts'
import type { Session } from './session.ts'
import { watchApprovals } from './watch-approvals.ts'

/** What waits for a person, and a person's answers. */
export function addApprovalCommands(program: Command, session: Session): void {
  program
    .command('approvals [approval_id]')
    .description('what waits for a decision, or one request whole')
    .option('--state <state>', 'pending, approved, denied, … or any', 'pending')
    .option('--watch', 'stay, show what comes in and decide it by a key')
    .action(async (id: string | undefined, options: { state: string; watch?: boolean }) => {
      const out = session.out()
      if (options.watch === true) return session.exit(await watchApprovals(session))
      if (id !== undefined) {
        const reply = await session.send('GET', `/v1/approvals/${encodeURIComponent(id)}`)
        return session.exit(printReply(out, reply, (body) => printPacket(out, body)))
      }
      const reply = await session.send('GET', `/v1/approvals?state=${encodeURIComponent(options.state)}&limit=200`)
      const code = printReply(out, reply, (body) => {
        const items = itemsOf(body)
        if (items.length === 0) out.line('nothing waits for a decision')
        for (const item of items) printPacket(out, item)
      })
      if (!out.json && options.state === 'pending') await printUnknown(out, session)
      printNotices(out, reply.body)
      session.exit(code)
    })

  program
    .command('approve <approval_id>')
    .description('let the call run')
    .option('--reason <text>')
    .option('--remember <bounds>', "and permit the same call ahead: '10 calls for 2h', or the bounds as JSON")
    .option(
      '--passphrase-file <file>',
      'your passphrase, for a strong one; `-` for stdin. Asked for when left out',
      secretIn,
    )
    .action(async (id: string, options: { reason?: string; remember?: string; passphraseFile?: string }) => {
      const remember = options.remember === undefined ? undefined : boundsOf(options.remember)
      if (options.remember !== undefined && remember === undefined)
        return session.fail(`\`${options.remember}\` is not like '10 calls for 2h' and not a JSON object`)
      const body = (passphrase: string | undefined) => ({
        decision: 'approve',
        ...(options.reason === undefined ? {} : { reason: options.reason }),
        ...(remember === undefined ? {} : { remember }),
        ...(passphrase === undefined ? {} : { passphrase }),
      })
      const path = `/v1/approvals/${encodeURIComponent(id)}/decide`
      const reply = await sendProven(session, path, options.passphraseFile, body)
      session.exit(printReply(session.out(), reply, (answer) => printDecided(session.out(), answer)))
    })

  program
    .command('deny <approval_id>')
    .description('refuse the call')
    .option('--reason <text>')
    .action(async (id: string, options: { reason?: string }) => {
      await decide(session, id, {
        decision: 'deny',
        ...(options.reason === undefined ? {} : { reason: options.reason }),
      })
    })

  program
    .command('edit <approval_id> <args>')
    .description('correct the inputs: a new request with these arguments takes the place of the old one')
    .action(async (id: string, args: string) => {
      await decide(session, id, `{"decision":"edit","args":${jsonArgument(args)}}`)
    })

  program
    .command('token <approval_id>')
    .description("mint a token for the thread's user; hand it over outside the thread")
    .action(async (id: string) => {
      const reply = await session.send('POST', `/v1/approvals/${encodeURIComponent(id)}/token`)
      session.exit(printReply(session.out(), reply, (body) => session.out().line(textOf(body['token']))))
    })

  program
    .command('redeem <approval_id> <token>')
    .description("answer with a token, as the thread's user")
    .requiredOption('--thread <id>', 'the thread the call was made in')
    .option('--deny', 'refuse instead of approve')
    .action(async (id: string, token: string, options: { thread: string; deny?: boolean }) => {
      const body = { token, thread: options.thread, decision: options.deny === true ? 'deny' : 'approve' }
      const reply = await session.send('POST', `/v1/approvals/${encodeURIComponent(id)}/redeem`, body)
      session.exit(printReply(session.out(), reply, (answer) => printDecided(session.out(), answer)))
    })
}

async function decide(session: Session, id: string, body: unknown): Promise<void> {
  const reply = await session.send('POST', `/v1/approvals/${encodeURIComponent(id)}/decide`, body)
  session.exit(printReply(session.out(), reply, (answer) => printDecided(session.out(), answer)))
}

function printDecided(out: Out, body: Fields): void {
  const id = textOf(body['approval_id'])
  const state = textOf(body['state'])
  const decisions = Array.isArray(body['decisions']) ? body['decisions'].length : 0
  if (body['replaces'] !== undefined)
    out.line(`${textOf(body['replaces'])} was edited; ${id} waits in its place: sluice approve ${id}`)
  else if (state === 'pending' && decisions > 0)
    out.line(`${id} has one of two approvals; another person must give the second`)
  else out.line(`${id} is ${state}; outcome: sluice status ${textOf(body['call_id'])}`)
  if (body['consent'] !== undefined) printMinted(out, fieldsOf(body['consent']))
}

/** Calls that ended in the dark wait for a person too. */
async function printUnknown(out: Out, session: Session): Promise<void> {
  const reply = await session.send('GET', '/v1/calls')
  for (const item of itemsOf(reply.body)) {
    const id = textOf(item['call_id'])
    out.line(`${id}  ${textOf(item['tool_id'])}  unknown: nobody knows whether it took effect`)
    out.line(`  arguments: ${textOf(item['proposed_args'])}`)
    if (item['rollback'] !== undefined) out.line(`  ${textOf(item['rollback'])}`)
    out.line(`  settle: sluice settle ${id} retry | done | failed`)
  }
}
