import type { Call } from '../contract/call.ts'
import type { ConsentRow } from '../contract/consent.ts'
import type { Json } from '../contract/json.ts'
import type { Tool } from '../contract/tool.ts'
import { callWith as anyCall, HASH } from '../decide/neutral-facts.suite.ts'
import { canonicalJson } from '../json/canonical.ts'
import type { ConsentFact, ConsentMoment } from './match-consent.ts'

export const tool: Tool = {
  row: {
    v: 1,
    tool_id: 'mail__send',
    server: 'mail',
    definition: { name: 'send', inputSchema: { type: 'object' } },
    definition_hash: HASH,
    admitted: { hash: HASH, definition: { name: 'send', inputSchema: {} }, at: 0, by: 'first-listing' },
    first_seen: 0,
    last_changed: 0,
  },
  effects: ['write'],
  effects_from: 'configured',
  risk: 'medium',
  idempotent: false,
}

export function callWith(args: Json, more: Partial<Call> = {}): Call {
  const canonical = canonicalJson(args)
  if (!canonical.ok) throw new Error('arguments of a sample have a canonical form')
  return anyCall(args, { tool_id: 'mail__send', server: 'mail', canonical_args: canonical.value, ...more })
}

/** Matches `callWith({ to: 'bob' })` at 1000. */
export const row: ConsentRow = {
  v: 1,
  consent_id: `cons_${'0'.repeat(24)}`,
  actor: 'caller:agent:a',
  what: { tool: 'mail__send', args: [{ path: '/to', op: 'equals', value: 'bob' }] },
  calls: 3,
  minted_by: 'approver:bob',
  minted_at: 0,
  expires_at: 2000,
  shelf: 'caller:agent:a',
}
export const moment: ConsentMoment = { now: 1000, tool }

export const factOf = (more: Partial<ConsentRow> = {}, fact: Partial<ConsentFact> = {}): ConsentFact => ({
  row: { ...row, ...more },
  version: 1,
  left: { calls: 3 },
  cost: 1,
  ...fact,
})
