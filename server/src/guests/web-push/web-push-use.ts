import type { AuditEvent } from '../../kernel/contract/audit-events.ts'
import type { DecidedElsewhere } from '../../kernel/ports/decided-elsewhere.ts'
import type { ApprovalRow } from '../../kernel/contract/approval.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { DECIDING_KINDS } from '../../kernel/contract/caller.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { sentenceWithoutValues } from '../../kernel/contract/sentence.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import {
  PUSH_LIMITS,
  type PushAnswer,
  type PushBody,
  type PushRow,
  type PushSubscriptionAnswer,
} from '../../kernel/contract/web-push.ts'
import { isAsked, membersOf } from '../../kernel/approvals/routes/seats.ts'
import { mayDecide } from '../../kernel/approvals/may-decide.ts'
import { delegationIn, liveDelegations } from '../../kernel/approvals/delegations.ts'
import { packetOf } from '../../kernel/approvals/packet-of.ts'
import type { ApprovalReadPorts } from '../../kernel/approvals/read-approvals.ts'
import type { Links } from '../../kernel/attempt/describe-call.ts'
import { refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { credentialState } from '../../kernel/identity/credential-state.ts'
import type { WebPush } from '../../kernel/approvals/channels-use.ts'
import type { Change, Ledger } from '../../kernel/ports/ledger.ts'
import type { Notices } from '../../kernel/ports/notices.ts'
import type { Stored } from '../../kernel/ports/reads.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'
import { refuse } from './problems.ts'

declare module '../../kernel/ports/ledger.ts' {
  interface Rows {
    pushes: PushRow
  }
  interface ListedBy {
    pushes: readonly ['user']
  }
}

export type PushPorts = ApprovalReadPorts & {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly webPush: WebPush
  readonly links: Links
  readonly hub: Pick<DecidedElsewhere, 'where'> | undefined
}

const MOST_TOLD = 1_000
const MOST_WAITING = 100

export async function listPushes({ tables, webPush }: PushPorts, by: Caller): Promise<Result<PushAnswer>> {
  const key = webPush.publicKey()
  if (!key.ok) return key
  const live = await livePushes(tables, by.user)
  return ok({ public_key: key.value, items: live.map(({ row }) => shown(row)) })
}

const shown = ({ push_id, name, endpoint, created_at }: PushRow): PushSubscriptionAnswer => ({
  push_id,
  name: visibleText(name),
  host: URL.parse(endpoint)?.hostname ?? '',
  created_at,
})

async function livePushes(tables: PushPorts['tables'], user: string): Promise<readonly Stored<'pushes'>[]> {
  const listed = await tables.list('pushes', { user }, { limit: 200, newest_first: true })
  return listed.filter(({ row }) => row.ended_at === undefined)
}

/** Registers a browser of the caller. Its address must be that of a push service. */
export async function subscribePush(
  deps: PushPorts,
  by: Caller,
  wanted: PushBody,
): Promise<Result<PushSubscriptionAnswer>> {
  const allowed = mayDecide(by)
  if (!allowed.ok) return allowed
  if (!deps.webPush.isAllowed(wanted.endpoint)) return refuse('push.not_allowed')
  if (!deps.webPush.isKey(wanted.keys)) return refuse('request.invalid', { paths: 'keys: not valid browser keys' })
  const live = await livePushes(deps.tables, by.user)
  if (live.length >= PUSH_LIMITS.per_user) return refuse('push.too_many', { limit: String(PUSH_LIMITS.per_user) })
  const now = deps.clock()
  const row: PushRow = {
    v: 1,
    push_id: `push_${deps.ids.trace().slice(0, 16)}`,
    user: by.user,
    caller: by.id,
    ...(by.credential?.key === undefined ? {} : { key: by.credential.key }),
    endpoint: wanted.endpoint,
    ...wanted.keys,
    name: wanted.name,
    created_at: now,
  }
  const again = live.filter(({ row: before }) => before.endpoint === row.endpoint)
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'pushes', id: row.push_id, from: 'absent', to: row },
    ...again.map((held) => ended(held, now)),
    auditOf(deps, 'push.subscribed', by, row),
  ])
  return recorded === 'committed' ? ok(shown(row)) : refuseUnrecorded(recorded)
}

export async function removePush(
  deps: PushPorts,
  by: Caller,
  push_id: string,
): Promise<Result<PushSubscriptionAnswer>> {
  const held = await deps.tables.row('pushes', push_id)
  if (held === undefined || held.row.user !== by.user || held.row.ended_at !== undefined) return refuse('push.unknown')
  const recorded = await deps.ledger.commit([ended(held, deps.clock()), auditOf(deps, 'push.removed', by, held.row)])
  return recorded === 'committed' ? ok(shown(held.row)) : refuseUnrecorded(recorded)
}

/** Notifies the browsers of people who may decide about each new request. Best effort: the inbox is the record. */
export function notifyBrowsers(deps: PushPorts & { readonly notices: Pick<Notices, 'subscribe'> }): void {
  let waiting = 0
  deps.notices.subscribe('changes', (happened, origin) => {
    // The node that stored a request reports it, once.
    if (origin !== 'here') return
    for (const { change } of happened) {
      const isPending = change.kind === 'approval' && change.state === 'pending'
      const isNew = isPending && (change.version === 1 || change.escalated === true)
      if (!isNew || waiting >= MOST_WAITING) continue
      waiting += 1
      const settle = () => void (waiting -= 1)
      pushRequest(deps, change.approval_id).then(settle, settle)
    }
  })
}

async function pushRequest(deps: PushPorts, approval_id: string): Promise<void> {
  const subscribed = await deps.tables.list('pushes', {}, { limit: MOST_TOLD, newest_first: true })
  const live = subscribed.filter(({ row }) => row.ended_at === undefined)
  if (live.length === 0) return
  const held = await deps.tables.row('approvals', approval_id)
  if (held === undefined || held.row.state !== 'pending') return
  const { sentence, risk } = await packetOf(deps, held)
  const payload = {
    title: deps.hub === undefined ? 'A call is waiting for your decision' : 'A call is waiting for the hub to decide',
    // Others can read a locked screen: it contains no value of the call.
    body: `${sentenceWithoutValues(sentence)} · ${risk.class} risk`,
    url: deps.links(approval_id).url,
    approval_id,
  }
  const delegations = await delegationsFor(deps, held.row)
  for (const one of live) {
    if (!isAskedUser(deps, held.row, one.row.user, delegations)) continue
    if (!(await mayStillDecide(deps, one.row)) || !deps.webPush.isAllowed(one.row.endpoint)) continue
    const sent = await deps.webPush.send(one.row, payload)
    if (sent === 'gone') await deps.ledger.commit([ended(one, deps.clock())])
  }
}

type HandedOver = readonly { readonly from: string; readonly to: string }[]

async function delegationsFor(deps: PushPorts, row: ApprovalRow): Promise<HandedOver> {
  return row.route?.group === undefined ? [] : (await liveDelegations(deps)).map(delegationIn)
}

function isAskedUser({ routes }: PushPorts, row: ApprovalRow, user: string, delegations: HandedOver): boolean {
  const members = membersOf(row, routes.groups)
  const substitutes_for = delegations.filter(({ to }) => to === user).map(({ from }) => from)
  return members === undefined || isAsked(user, { members, substitutes_for })
}

/** A browser that subscribed with a key gets nothing once that key is invalid. */
async function mayStillDecide({ tables, clock }: PushPorts, { key, caller }: PushRow): Promise<boolean> {
  if (!DECIDING_KINDS.some((kind) => caller.startsWith(`${kind}:`))) return false
  if (key === undefined) return true
  const credential = (await tables.row('credentials', key))?.row
  return credential !== undefined && credentialState(credential, clock()) === 'active'
}

const ended = ({ row, version }: Stored<'pushes'>, now: number): Change => ({
  kind: 'swap',
  table: 'pushes',
  id: row.push_id,
  from: version,
  to: { ...row, ended_at: now },
})

function auditOf({ clock, ids }: PushPorts, type: AuditEvent, by: Caller, { push_id, user }: PushRow): Change {
  return {
    kind: 'audit',
    entry: { at: clock(), type, actor: by.id, trace: ids.trace(), subject: { push: push_id, user } },
  }
}
