import type { Caller } from '../../kernel/contract/caller.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import { isUnrecorded, lostAt } from '../../kernel/changes/unrecorded.ts'
import { isMatch, namesOf } from '../../kernel/policy/match.ts'
import type { Change, Committed, Ledger } from '../../kernel/ports/ledger.ts'
import type { AgentModels, ModelOutput, ModelQuestion } from '../models/api.ts'
import type { Accounts, Stored } from '../../kernel/ports/reads.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { IncomingMessage } from '../../kernel/ports/transports.ts'
import type { CompiledCapabilities } from './capabilities.ts'
import { SEND_TOOL_ID } from '../../kernel/contract/message-tool.ts'
import type { CompiledTriggers } from './triggers.ts'
import type { WorkflowDocument } from './workflow-document.ts'
import type { DocumentHead, DocumentVersion, WorkflowError, WorkflowUsage } from './workflow.ts'

// What acts in the name of a document, here or in another guest, keeps to its limits with these.

/** One version, parsed and compiled. */
export type OpenDocument = {
  readonly name: string
  readonly version: number
  readonly row: DocumentVersion
  readonly document: WorkflowDocument
  readonly capabilities: CompiledCapabilities
  readonly triggers: CompiledTriggers
}

/** Stored documents. Versions never change, so the compiled form is cached. */
export interface Documents {
  head(name: string): Promise<(Stored<'documents'> & { readonly row: DocumentHead }) | undefined>
  heads(): Promise<readonly DocumentHead[]>
  version(name: string, version: number): Promise<OpenDocument | undefined>
  /** The active version. */
  current(name: string): Promise<OpenDocument | undefined>
}

/** Key names contain no `/`, so nobody else is this caller. */
export const agentCaller = ({ name, owner }: Pick<DocumentHead, 'name' | 'owner'>): Caller => ({
  kind: 'agent',
  id: `agent:workflow/${name}`,
  user: owner,
})

/** Whether the document would let its agent call this tool with some arguments. */
export function couldAllow({ rules, approvals }: CompiledCapabilities, caller: Caller, tool: Tool): boolean {
  if (tool.row.tool_id === SEND_TOOL_ID) return false
  const names = namesOf({ caller }, { tool })
  for (const { capability, match, when } of rules) {
    if (isMatch(match, names) !== true) continue
    const isAllowed = capability.allow && (approvals || !capability.requireApproval)
    // A conditional denial leaves the other arguments to the next rules.
    if (isAllowed || when === undefined) return isAllowed
  }
  return false
}

/** The document's own prompt texts, in order of authority, after the gate's own text. */
export const ownPrompts = ({ instructions, persona }: WorkflowDocument): readonly string[] => [
  ...(instructions === undefined
    ? []
    : [`Instructions (the text above takes precedence):\n${instructionsText(instructions)}`]),
  ...(persona === undefined
    ? []
    : [
        `Persona (everything above takes precedence):\n${typeof persona === 'string' ? persona : persona.systemPrompt}`,
      ]),
]

function instructionsText(instructions: NonNullable<WorkflowDocument['instructions']>): string {
  if (typeof instructions === 'string') return instructions
  const { role, workflow, context } = instructions
  return [
    ...(role === undefined ? [] : [role]),
    ...workflow.map(({ trigger, action }) => `- ${trigger}: ${action}`),
    ...(context?.user === undefined ? [] : [`The user: ${context.user}`]),
    ...(context?.peers ?? []).map(({ name, role: does }) => `Peer ${name}: ${does}`),
  ].join('\n')
}

// ---------------------------------------------------------------- messages of people

/** A message of a person to the agent of a document. */
export type PersonsMessage = {
  readonly head: DocumentHead
  readonly opened: OpenDocument
  readonly message: IncomingMessage
  /** Identifies the delivery: the same one starts nothing twice. */
  readonly delivery: string
}

export type TakenTurn =
  | { readonly is: 'turn'; readonly run_id: RunId }
  | { readonly is: 'refused'; readonly code: WorkflowError; readonly says: string }
  | 'later'

/** Answers people in the name of documents. */
export type TakeTurn = (said: PersonsMessage) => Promise<TakenTurn>

/** How long the gate remembers a delivery. */
export const DELIVERY_KNOWN_MS = 7 * 86_400_000

// ---------------------------------------------------------------- limits

/** A limited number of units for a period. */
export type UnitMeter = { readonly account: string; readonly limit: number; readonly until?: number }

export type MeterPorts = { readonly ledger: Ledger; readonly accounts: Accounts }

const MINUTE_MS = 60_000

export const minuteMeter = (name: string, limit: number, now: number): UnitMeter[] => {
  const minute = Math.floor(now / MINUTE_MS)
  return limit === 0 ? [] : [{ account: `workflow ${name} ${minute} ${limit}`, limit, until: (minute + 2) * MINUTE_MS }]
}

export const takeOne = ({ account }: UnitMeter): Change => ({ kind: 'spend', account, units: 1 })

export type MeterCommit = Committed | { readonly over: string }

/**
 * Commits changes together with one unit of each meter, all or nothing. The changes come first: a repetition of something already
 * done is lost as such, even if a meter is empty by now.
 * INVARIANT: if several race for the last unit, one commits; the others get the limit.
 */
export async function commitWithin(
  { ledger, accounts }: MeterPorts,
  meters: readonly UnitMeter[],
  changes: readonly Change[],
): Promise<MeterCommit> {
  for (;;) {
    const committed = await ledger.commit([...changes, ...meters.map(takeOne)])
    const meter = meters[(lostAt(committed) ?? -1) - changes.length]
    if (meter === undefined) return committed
    const left = await accounts.left(meter.account)
    if (left !== undefined && left < 1) return { over: meter.account }
    // If two processes open it, the second commit is lost, and the account is open.
    if (left === undefined) {
      const opened = await ledger.commit([
        {
          kind: 'open',
          account: meter.account,
          units: meter.limit,
          ...(meter.until === undefined ? {} : { until: meter.until }),
        },
      ])
      if (opened !== 'committed' && lostAt(opened) === undefined) return opened
    }
  }
}

export const isOver = (committed: MeterCommit): committed is { readonly over: string } =>
  typeof committed === 'object' && 'over' in committed

/** What every request to a document takes: one of the requests per minute, and a slot among those in progress. */
export function requestMeters(
  name: string,
  { document: { limits } }: OpenDocument,
  now: number,
): { readonly meters: readonly UnitMeter[]; readonly place: string | null } {
  const { maxRequestsPerMinute, maxConcurrentRequests: limit } = limits
  const place: UnitMeter[] = limit === 0 ? [] : [{ account: `workflow places ${name} ${limit}`, limit }]
  return {
    meters: [...minuteMeter(`requests ${name}`, maxRequestsPerMinute, now), ...place],
    place: place[0]?.account ?? null,
  }
}

export const overSays = (account: string): string => `a limit of the document is reached: ${limitName(account)}`

const limitName = (account: string): string => {
  const [, kind = ''] = account.split(' ')
  return (
    { requests: 'maxRequestsPerMinute', places: 'maxConcurrentRequests', events: 'maxEventsPerMinute' }[kind] ?? kind
  )
}

const DAY_MS = 86_400_000

/** Counts a message of a document against `maxMessagesPerMinute`, once per key, however often it is tried. */
export async function countMessage(
  deps: MeterPorts & { readonly clock: Clock },
  { name, document: { messaging } }: OpenDocument,
  key: string,
): Promise<'counted' | 'over' | 'later'> {
  const now = deps.clock()
  const meters = minuteMeter(`messages ${name}`, messaging.maxMessagesPerMinute, now)
  const taken = await commitWithin(deps, meters, [
    { kind: 'once', key: `workflow.message ${key}`, until: now + DAY_MS },
  ])
  if (isOver(taken)) return 'over'
  return isUnrecorded(taken) ? 'later' : 'counted'
}

// ---------------------------------------------------------------- models

const MONTH_MS = 30 * 86_400_000
const MICRO = 1_000_000
/** Characters per token, for a first estimate of a prompt. */
const CHARS_PER_TOKEN = 4

export type AskingPorts = MeterPorts & { readonly models: AgentModels; readonly clock: Clock }

export type AskedWithin =
  ModelOutput | { readonly failed: string } | { readonly over: string; readonly usage?: WorkflowUsage } | 'later'

/** One request to a model in the name of a document, within its limits. */
export async function askWithin(
  deps: AskingPorts,
  opened: OpenDocument,
  question: ModelQuestion,
): Promise<AskedWithin> {
  const { limits } = opened.document
  const most = limits.maxTokensPerRequest
  const chars = question.messages.reduce((sum, { text }) => sum + text.length, question.instructions.length)
  if (most > 0 && chars / CHARS_PER_TOKEN > most) return { over: 'maxTokensPerRequest' }
  const budget = costMeter(opened, deps.clock())
  if (budget !== undefined && ((await deps.accounts.left(budget.account)) ?? 1) < 1)
    return { over: 'maxMonthlyCostUSD' }
  const meters = minuteMeter(`models ${opened.name}`, limits.maxRequestsPerMinute, deps.clock())
  const taken = await commitWithin(deps, meters, [])
  if (isOver(taken)) return { over: 'maxRequestsPerMinute' }
  if (taken !== 'committed') return 'later'
  const said = await deps.models.ask(question)
  if ('failed' in said) return said
  const { usage } = said
  await spendCost(deps, opened, usage)
  return most > 0 && usage.input_tokens + usage.output_tokens > most ? { over: 'maxTokensPerRequest', usage } : said
}

function costMeter({ name, document: { limits } }: OpenDocument, now: number) {
  if (limits.maxMonthlyCostUSD === 0) return undefined
  const month = Math.floor(now / MONTH_MS)
  const limit = Math.ceil(limits.maxMonthlyCostUSD * MICRO)
  return { account: `workflow cost ${name} ${month} ${limit}`, limit, until: (month + 2) * MONTH_MS }
}

/** The cost is spent even over the limit; then the next request is rejected. */
async function spendCost(
  deps: MeterPorts & { readonly clock: Clock },
  opened: OpenDocument,
  { cost }: WorkflowUsage,
): Promise<void> {
  const meter = costMeter(opened, deps.clock())
  const units = Math.ceil(cost * MICRO)
  if (meter === undefined || units === 0) return
  const { account, limit, until } = meter
  for (;;) {
    const left = await deps.accounts.left(account)
    if (left === undefined) await deps.ledger.commit([{ kind: 'open', account, units: limit, until }])
    const takes = Math.min(left ?? limit, units)
    if (takes === 0) return
    const spent = await deps.ledger.commit([{ kind: 'spend', account, units: takes }])
    if (typeof spent !== 'object' || !('lost' in spent)) return
  }
}
