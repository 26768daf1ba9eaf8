import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { ok, problem, refuse, type Result } from '../../kernel/contract/problems.ts'
import { IncomingBody } from './section.ts'
import type { WebhookKey } from '../../kernel/ports/keys.ts'
import type { TakenMessage } from '../../kernel/ports/transports.ts'
import { readJson } from '../../kernel/json/read-json.ts'
import { takeMessage, type TakeDeps } from './take-message.ts'

/** A message from a signed request. */
export type SignedMessage = {
  readonly transport: string
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

/** `incoming`: who may send, by the name of the transport. */
export type SignedDeps = TakeDeps & { readonly incoming: ReadonlyMap<string, WebhookKey> }

/** How far the sender's clock may be off. */
const TOLERANCE_MS = 300_000
const ID = /^[\x21-\x7e]{1,128}$/
const SECONDS = /^\d{1,12}$/

/**
 * The signature covers id, time and body, so a captured request is valid for a few minutes, and then only as the same message.
 */
export async function takeSigned(
  deps: SignedDeps,
  { transport, id, timestamp, signature, body }: SignedMessage,
): Promise<Result<readonly TakenMessage[]>> {
  const key = deps.incoming.get(transport)
  if (key === undefined) return refuse('transport.unknown', { name: transport.slice(0, 64) })
  const isWellFormed = ID.test(id) && SECONDS.test(timestamp)
  if (!isWellFormed || !key.isGenuine(id, Number(timestamp), body, signature))
    return refuse('transport.not_genuine', { name: transport })
  if (Math.abs(deps.clock() - Number(timestamp) * 1000) > TOLERANCE_MS)
    return refuse('transport.not_genuine', { name: transport, why: 'outdated' })
  const json = readJson(body)
  if (!json.ok) return json
  const read = IncomingBody.safeParse(json.value)
  if (!read.success) return refuse('request.invalid', { paths: issueLines(read.error.issues, 'the body').join('; ') })
  const { agent, ...message } = read.data
  const taken = await takeMessage(deps, { transport, id, ...message, ...(agent === undefined ? {} : { agent }) })
  return taken === 'later' ? { ok: false, problem: problem('audit.unavailable') } : ok(taken)
}
