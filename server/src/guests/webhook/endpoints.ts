import { z } from 'zod'
import { ApprovalState } from '../../kernel/contract/approval.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { CallbackBody } from './section.ts'
import { type Result } from '../../kernel/contract/problems.ts'
import { decideApproval, type DecidePorts, type DecidedApproval } from '../../kernel/approvals/decide-approval.ts'
import type { ApprovalReadPorts } from '../../kernel/approvals/read-approvals.ts'
import type { MintPorts } from '../../kernel/consents/mint-consent.ts'
import type { PasskeyPorts } from '../../kernel/identity/passkeys.ts'
import type { CallbackSource } from '../../kernel/approvals/channels-use.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import { refuse } from './problems.ts'

const CallbackAnswer = z.object({ approval_id: z.string(), state: ApprovalState, decisions: z.number().int() })

/** Receives answers to webhooks. Their signature is the credential. */
export const endpoints = (k: CallbackPorts): readonly Endpoint[] => [
  endpoint({
    at: 'POST /v1/channels/{name}/callback',
    access: 'anyone',
    says: "A signed decision, as the channel's approver",
    answers: CallbackAnswer,
    run: async (_, { params, header, text }) =>
      takeCallback(k, {
        channel: params.name,
        id: header('webhook-id') ?? '',
        timestamp: header('webhook-timestamp') ?? '',
        signature: header('webhook-signature') ?? '',
        body: await text(),
      }),
    shows: ({ approval_id, state, decisions }) => ({ approval_id, state, decisions: decisions.length }),
  }),
]

type CallbackPorts = DecidePorts &
  ApprovalReadPorts &
  MintPorts &
  PasskeyPorts & { readonly callbacks: ReadonlyMap<string, CallbackSource> }

/** An answer as received, before it is verified. */
type Callback = {
  readonly channel: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

/** How far the sender's clock may be off; older signatures are invalid. */
const TOLERANCE_MS = 300_000
const ID = /^[\x21-\x7e]{1,128}$/
const SECONDS = /^\d{1,12}$/

/**
 * A decision that came back through a channel: made as the approver the operator named for it, by the same rules as any other.
 * INVARIANT: one signed message decides at most once, because its id is spent in the commit of the decision.
 */
async function takeCallback(deps: CallbackPorts, callback: Callback): Promise<Result<DecidedApproval>> {
  const { channel, id, timestamp, signature, body } = callback
  const source = deps.callbacks.get(channel)
  if (source === undefined) return refuse('channel.unknown', { channel })
  const isWellFormed = ID.test(id) && SECONDS.test(timestamp)
  if (!isWellFormed || !source.key.isGenuine(id, Number(timestamp), body, signature))
    return refuse('channel.not_genuine', { channel })
  const now = deps.clock()
  if (Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS) return refuse('channel.outdated', { channel })
  const json = readJson(body)
  if (!json.ok) return json
  const read = CallbackBody.safeParse(json.value)
  if (!read.success) {
    return refuse('request.invalid', { paths: issueLines(read.error.issues, 'the body').join('; ') })
  }
  const { approval_id, reason } = read.data
  const why = reason === undefined ? {} : { reason }
  const said =
    read.data.decision === 'approve'
      ? ({ says: 'approve', digest: read.data.digest, ...typedIn(read.data), ...why } as const)
      : ({ says: 'deny', ...why } as const)
  return decideApproval(deps, source.approver, approval_id, said, spentWith(deps, callback, source, approval_id, now))
}

const typedIn = ({ typed }: { readonly typed?: string | undefined }) => (typed === undefined ? {} : { typed })

function spentWith(
  deps: CallbackPorts,
  { channel, id }: Callback,
  { approver }: CallbackSource,
  approval: string,
  now: number,
): Change[] {
  const entry = { at: now, type: 'channel.answered' as const, actor: approver.id, trace: deps.ids.trace() }
  return [
    { kind: 'once', key: `channel ${channel} ${id}`, until: now + 2 * TOLERANCE_MS },
    { kind: 'audit', entry: { ...entry, subject: { channel, approval }, about: { id } } },
  ]
}
