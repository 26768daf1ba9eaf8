import { alikeKey, groupSentence, oddOf, type AlikePacket } from '../../kernel/contract/alike.ts'
import type { PacketAnswer } from '../../kernel/approvals/packet-answer.ts'
import { sentenceText } from '../../kernel/contract/sentence.ts'
import type { z } from 'zod'
import { UNREACHED } from './client.ts'
import { askApproval, confirmed, hasTerminal, isStrong } from './confirm.ts'
import { EXIT } from './exit-codes.ts'
import { printDecided } from './print-decided.ts'
import { printPacket } from './print-packet.ts'
import { fieldsOf, itemsOf, printReply } from './print.ts'
import { sendProven } from './passphrase-commands.ts'
import type { Cli } from './cli.ts'

type Packet = z.infer<typeof PacketAnswer>
type Options = { readonly reason?: string; readonly passphraseFile?: string }

/**
 * Shows a request and those that are alike, then approves them all, each with the digest that was shown. Requests that hide
 * something, were edited, or belong to a changed tool are left out, for a separate decision. For strong ones, the person types what each of
 * them is about; the others stay pending.
 */
export async function approveAlike(cli: Cli, id: string, options: Options): Promise<void> {
  const out = cli.out()
  const reply = await cli.send('GET', '/v1/approvals?state=pending&limit=200')
  if (reply.status >= 400 || reply.status === UNREACHED) return cli.exit(printReply(out, reply, () => {}))
  const pending = itemsOf(reply.body) as unknown as readonly Packet[]
  const first = pending.find(({ approval_id }) => approval_id === id)
  const key = first === undefined ? undefined : alikeKey(first)
  if (first === undefined || key === undefined) return cli.fail(`${id} has no requests like it: sluice approve ${id}`)
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

const isLeftOut = (packet: AlikePacket): boolean => !['a value from outside', undefined].includes(oddOf(packet))

/** On stderr: the answer alone is on stdout. */
function show(cli: Cli, alike: readonly Packet[]): void {
  const out = { ...cli.out(), line: cli.out().error }
  for (const packet of alike) printPacket(out, fieldsOf(packet), 'whole')
  const together = groupSentence(alike.map(({ sentence }) => sentence))
  out.line(together === undefined ? `${alike.length} calls of ${alike[0]?.skill_id ?? ''}` : sentenceText(together))
}
