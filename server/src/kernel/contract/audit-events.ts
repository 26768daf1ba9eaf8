import { KERNEL_PROBLEMS, type KernelProblemCode } from './problems.ts'

/**
 * Every kind of entry in the audit, with what it says. `{who}` is the actor, `{why}` what the code of a problem means, `{because}` what
 * the deciding rule says; any other name is a field of the entry. A part in square brackets is left out if one of its fields is absent.
 */
export const AUDIT_EVENTS = {
  'access.limited': 'Too many failed logins from {address}: more attempts are rejected for a while',
  'access.refused': '{who} was refused {route}: this key does not permit it',
  'agent.cancel_requested': '{who} stopped an agent thread',
  'agent.ended': '{who} ended an agent thread that is not stored',
  'agent.message': '{who} wrote to an agent thread',
  'agent.moved': 'An agent thread of {who} went on from {from} to {to}',
  'agent.started': '{who} started an agent thread',
  'approval.approved': '{who} approved a call of {tool}[ in place of {for}]',
  'approval.denied': '{who} denied a call of {tool}',
  'approval.edited': '{who} edited a call of {tool}; the new request replaces the old one',
  'approval.escalated': 'Nobody decided in time about a call of {tool}[, so {to} is asked too]',
  'approval.expired': 'The request for a call of {tool} expired; the call did not run',
  'approval.revealed': '{who} revealed the hidden values of a request for {tool}',
  'approval.seconded':
    '{who} approved a call of {tool}[ in place of {for}]; it needs more approvals[ ({approvals} of {needed})]',
  'approval.stale': 'An approved call of {tool} did not run[: {why}]',
  'approval.withdrawn': 'The request for a call of {tool} was withdrawn by {who}[: {why}]',
  'audit.break_accepted': '{who} continued after a broken audit[: {reason}]',
  'audit.break_found': 'The audit was found broken[: {was}]',
  'audit.broken': 'The audit is broken at entry {seq} of stream {stream}[: {says}]',
  'call.blocked': 'A call of {tool} by {who} was blocked[: {because}]',
  'call.called_off': '{who} cancelled a call of {tool}',
  'call.check_started': 'A condition of a call of {tool} by {who} was checked before it ran[ with {asked}]',
  'call.executed': 'A call of {tool} by {who} ran',
  'call.failed': 'A call of {tool} by {who} failed[: {why}]',
  'call.held': 'A call of {tool} by {who} is held for approval[: {because}]',
  'call.integrity_mismatch': 'A call of {tool} by {who} is not what was recorded, so it was stopped',
  'call.interrupted': 'A call of {tool} was interrupted[: {why}]',
  'call.not_reported': 'The client did not report whether a call of {tool} ran',
  'call.previewed': 'A dry run was made of a call of {tool} by {who}',
  'call.refused': 'A call[ of {tool}] by {who} was refused[: {why}]',
  'call.retry_held': '{who} requested a retry of a call of {tool}; it is held for approval[: {because}]',
  'call.settled': '{who} settled a call of {tool} whose outcome was unknown[ as: {as}]',
  'call.started': 'A call of {tool} by {who} started[ with consent {consent}]',
  'call.stopped': 'A call of {tool} was stopped before it ran[: {why}]',
  'call.unknown': 'It is not known whether a call of {tool} by {who} ran[: {why}]',
  'call.unverified': 'The result of a call of {tool} could not be verified',
  'call.verified': 'The result of a call of {tool} was verified',
  'call.verify_started': 'The result of a call of {tool} by {who} was checked[ with {asked}]',
  'channel.answered': '{who} answered a request in the channel {channel}',
  'chat.asked': '{who} gave a command in the chat room {channel}',
  'clock.corrected': '{who} corrected the latest time seen[ from {from} to {to}]',
  'consent.minted': '{who} gave a consent: {actor} may use {tool}[, at most {calls} times]',
  'consent.revoked': '{who} revoked a consent[ for {tool}]',
  'delegation.ended': '{who} ended the delegation from {user} to {delegate}',
  'delegation.expired': 'The delegation from {user} to {delegate} expired',
  'delegation.given': '{who} delegated the decisions of {user} to {delegate}',
  'flow.abandoned': '{who} abandoned a run of the flow {flow}',
  'flow.advanced': '{who} set a step of the flow {flow} to {status}',
  'flow.consent_minted': '{who} gave a consent for a run of the flow {flow}[: {units} units]',
  'flow.consent_revoked': '{who} revoked a consent for a run[ of the flow {flow}]',
  'flow.evidence': '{who} added evidence to a run of the flow {flow}',
  'flow.execution_ended': 'A step of a flow[ {flow}] ended[: {status}]',
  'flow.execution_started': '{who} started a step of the flow {flow}',
  'flow.imported': '{who} imported the flow {flow}',
  'flow.proposal_approved': '{who} approved a proposal of a flow run',
  'flow.proposal_discarded': '{who} discarded a proposal of a flow run',
  'flow.proposal_evaluated': '{who} evaluated a proposal of a flow run[: {evaluation}]',
  'flow.review_submitted': '{who} submitted a run of the flow {flow} for review',
  'flow.started': '{who} started a run of the flow {flow}',
  'gate.paused': '{who} paused {scope}[: {reason}]',
  'gate.touched': 'A call of {tool} by {who} was blocked: it tried to access the files or credentials of the gate',
  'gate.unpaused': '{who} resumed {scope}',
  'hub.decided': 'The hub decided about a request[: {says}]',
  'hub.key_changed': '{who} changed the signing key of the hub[: {step}]',
  'hub.word_refused': 'A decision that claims to come from the hub was refused[: {why}]',
  'key.created': '{who} created a key for {caller}',
  'key.revoked': '{who} revoked a key of {caller}',
  'key.rotated': '{who} rotated the {key} key',
  'ledger.moved': '{who} moved the data to a database',
  'ledger.restored': '{who} restored a backup',
  'ledger.sealed': 'The stored rows were signed for the first time',
  'login.ended': '{who} logged out',
  'login.started': '{who} logged in',
  'node.outcome': '{who} reported the outcome of a call of {tool}[: {outcome}]',
  'node.requested': 'The node {node} asks for a decision about a call of {tool} by {who}',
  'passkey.added': '{who} added a passkey',
  'passkey.removed': '{who} removed a passkey of {user}',
  'passphrase.cleared': '{who} removed the passphrase of {user}',
  'passphrase.set': '{who} set a passphrase',
  'passphrase.wrong': '{who} entered a wrong passphrase',
  'policy.loaded': 'The policy in {policy} is in force[: {rules} rules][; this build has no {without}]',
  'policy.refused': 'The policy in {policy} was not loaded, because it has mistakes; the previous one stays in force',
  'push.removed': '{who} turned off notifications in a browser',
  'push.subscribed': '{who} turned on notifications in a browser',
  'read.listed': '{who} listed what the servers offer[: {method}]',
  'read.refused': '{who} was refused {tool}[: {because}]',
  'read.started': '{who} read {tool}',
  'retention.swept':
    'Data past its retention time was deleted: {calls} calls, {journals} journals, {artifacts} artifacts',
  'row.rejected': 'A stored row of {table} was not written by this gate, so it is ignored',
  'row.taken_over': '{who} kept a newer row of {table} when restoring',
  'run.cancel_requested': '{who} cancelled a run',
  'run.cancelled': '{who} ended a run when restoring',
  'run.resumed': '{who} resumed a run that had stopped with a fault',
  'server.listing_bounded': 'Part of what the server {server} lists was left out[: {rule}]',
  'server.logged_in': '{who} logged in to the server {server}',
  'server.logged_out': '{who} logged out of the server {server}',
  'server.retried': '{who} tried to connect to the server {server} again',
  'servers.changed': 'The configured servers changed[; added: {added}][; changed: {changed}][; removed: {removed}]',
  'token.issued': '{who} got a token to approve a call of {tool}',
  'token.refused': 'A token for a call of {tool} was refused[: {why}]',
  'tool.admitted': '{who} admitted the tool {tool}',
  'tool.changed': 'The definition of the tool {tool} changed',
  'tool.gone': 'The tool {tool} is no longer listed by its server',
  'tool.listed': 'The tool {tool} was listed by its server',
  'toolflow.ended': 'A toolflow of {who} ended[: {outcome}]',
  'toolflow.started': '{who} started a toolflow',
  'trap.sprung': '{who} used a honey token or honey file in a call of {tool}; {scope} is paused',
  'user.erased': '{who} erased the data of {user}',
  'user.erasure_started': '{who} began to erase the data of {user}',
  'workflow.applied': '{who} put the workflow {document} in force',
  'workflow.ended': 'A run of the workflow {document} ended[: {outcome}]',
  'workflow.refused': 'A message for a workflow was refused[: {says}]',
  'workflow.rolled_back': '{who} rolled back the workflow to version {to}, as {document}',
  'workflow.started': '{who} started a run of the workflow {document}',
  'workflow.step_failed': 'A step of the workflow {document} failed[: {outcome}]',
  'workflow.stepped': 'A step of the workflow {document} was completed',
  'workflow.validated': 'The data of a run of the workflow {document} was checked[: {outcome}]',
} as const satisfies Record<`${string}.${string}`, string>
export type AuditEvent = keyof typeof AUDIT_EVENTS

/** `value`: taken from the entry, and to be shown as data. */
export type AuditPiece = { readonly is: 'text' | 'value'; readonly text: string }

/** What a sentence is made from. Entries of other releases, and broken ones, can have anything in these places. */
type Said = { readonly [Field in 'type' | 'actor' | 'subject' | 'about' | 'outcome' | 'verdict']?: unknown }

/** Describes an entry in one sentence, without a final period. INVARIANT: total, whatever is stored. */
export function auditSentence(entry: Said): readonly AuditPiece[] {
  const says = typeof entry.type === 'string' ? templateOf(entry.type) : undefined
  if (says === undefined) return [value(plain(entry.type) ?? 'unknown'), text(' by '), ...whoOf(entry.actor)]
  const pieces = says.split(/(\[[^\]]*\])/).flatMap((part) => {
    const isOptional = part.startsWith('[')
    const filled = filledIn(isOptional ? part.slice(1, -1) : part, entry)
    if (filled.every((piece) => piece !== undefined)) return filled
    return isOptional ? [] : filled.map((piece) => piece ?? text('…'))
  })
  const [first, ...rest] = pieces.filter((piece) => piece.text !== '')
  return first === undefined ? [] : [first.is === 'text' ? { ...first, text: capitalised(first.text) } : first, ...rest]
}

/** The sentence as one line, for a terminal. */
export const auditText = (entry: Said): string =>
  auditSentence(entry)
    .map((piece) => piece.text)
    .join('')

const templateOf = (type: string): string | undefined =>
  Object.hasOwn(AUDIT_EVENTS, type) ? AUDIT_EVENTS[type as AuditEvent] : undefined

const text = (words: string): AuditPiece => ({ is: 'text', text: words })
const value = (words: string): AuditPiece => ({ is: 'value', text: words })
const capitalised = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}`

function filledIn(template: string, entry: Said): readonly (AuditPiece | undefined)[] {
  return template
    .split(/\{(\w+)\}/)
    .flatMap((part, at): readonly (AuditPiece | undefined)[] => (at % 2 === 0 ? [text(part)] : named(part, entry)))
}

function named(name: string, entry: Said): readonly (AuditPiece | undefined)[] {
  const { about, subject } = { about: fieldsOf(entry.about), subject: fieldsOf(entry.subject) }
  switch (name) {
    case 'who':
      return whoOf(entry.actor)
    case 'caller':
    case 'actor':
      return whoOf(plain(subject[name] ?? about[name])?.replace(/^(?:caller|user):/, ''))
    case 'scope':
      return scopeOf(plain(subject['scope']) ?? '')
    case 'why':
      return [whyOf(about)]
    case 'because':
      return [valueOf(becauseOf(fieldsOf(entry.verdict)))]
    case 'outcome':
      return [valueOf(plain(entry.outcome)?.replaceAll('_', ' '))]
    case 'status':
    case 'rule':
    case 'evaluation':
      return [valueOf(plain(about[name])?.replaceAll('_', ' '))]
    default:
      return [valueOf(plain(subject[name] ?? about[name]))]
  }
}

const OWN_NAMES: Readonly<Record<string, string>> = {
  gate: 'Sluice',
  hub: 'the hub',
  nobody: 'somebody unknown',
  'admin:local': 'the owner of the data folder',
}
const KINDS: readonly (readonly [prefix: string, words: string])[] = [
  ['server:', 'the server '],
  ['gateway:', 'the gateway '],
  ['transport:', 'the transport '],
  ['node:', 'the node '],
  ['tool:', 'the tool '],
  ...['agent:', 'user:', 'approver:', 'reviewer:', 'admin:'].map((prefix) => [prefix, ''] as const),
]

function whoOf(id: unknown): readonly AuditPiece[] {
  const who = plain(id) ?? ''
  const own = Object.hasOwn(OWN_NAMES, who) ? OWN_NAMES[who] : undefined
  if (own !== undefined) return [text(own)]
  const [prefix, words] = KINDS.find(([one]) => who.startsWith(one)) ?? ['', '']
  return who === prefix ? [text('somebody unknown')] : [text(words), value(who.slice(prefix.length))]
}

const scopeOf = (scope: string): readonly AuditPiece[] =>
  scope === 'all' ? [text('everything')] : whoOf(scope.replace(/^caller:/, ''))

/** What the code means, or the reason in words. */
function whyOf({ code, why }: Fields): AuditPiece | undefined {
  if (typeof code !== 'string') return valueOf(plain(why))
  return Object.hasOwn(KERNEL_PROBLEMS, code) ? text(KERNEL_PROBLEMS[code as KernelProblemCode].says) : value(code)
}

/** The first opinion with the effect of the verdict. */
function becauseOf({ effect, evidence }: Fields): string | undefined {
  const opinions: readonly unknown[] = Array.isArray(evidence) ? evidence : []
  return plain(fieldsOf(opinions.find((opinion) => fieldsOf(opinion)['effect'] === effect))['says'])
}

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (given: unknown): Fields =>
  typeof given === 'object' && given !== null && !Array.isArray(given) ? (given as Fields) : {}

const valueOf = (words: string | undefined): AuditPiece | undefined => (words === undefined ? undefined : value(words))

/** Something that can be shown in a sentence; nothing else is. */
function plain(given: unknown): string | undefined {
  if (typeof given === 'number' || typeof given === 'boolean') return String(given)
  if (typeof given === 'string') return given === '' ? undefined : given
  if (!Array.isArray(given) || given.length === 0) return undefined
  return given.every((one) => typeof one === 'string') ? given.join(', ') : undefined
}
