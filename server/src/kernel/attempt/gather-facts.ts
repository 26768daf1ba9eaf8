import type { Call } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import type { ApprovalFact, Facts, RetryFact } from '../decide/facts.ts'
import { withDocument } from '../approvals/routes/document-route.ts'
import { routeFact, type Routes } from '../approvals/routes/routes.ts'
import type { OwnCredentials } from '../../guests/content/find-own.ts'
import { countApprovers, type ApproverDeps } from '../identity/count-approvers.ts'
import { budgetFacts, type BudgetDeps } from '../decide/facts/budget-facts.ts'
import { capabilitiesFact, type CapabilitiesDeps } from '../../guests/workflows/facts/capabilities-fact.ts'
import { contentFact } from '../../guests/content/facts/content-fact.ts'
import { filesFact, type FilesDeps } from '../../guests/sandbox/facts/files-fact.ts'
import { healthFact, type HealthDeps } from '../../guests/serenity/facts/health-fact.ts'
import { historyFact, type HistoryDeps } from '../decide/facts/history-fact.ts'
import { settingsOf } from './facts/load-judgement.ts'
import { lookAlikesOf } from './facts/look-alikes.ts'
import { provenanceFact, type ProvenanceDeps } from '../../guests/provenance/facts/provenance-fact.ts'
import { readChangeableFacts, type SeenVersions, type ChangeableFacts } from './facts/changeable-facts.ts'
import { trapFacts } from '../../guests/content/facts/trap-facts.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Clock, MaybePromise } from '../ports/runtime.ts'

export type FactsDeps = BudgetDeps &
  FilesDeps &
  HealthDeps &
  HistoryDeps &
  ProvenanceDeps &
  CapabilitiesDeps &
  ApproverDeps & {
    readonly catalogue: Catalogue
    readonly clock: Clock
    readonly ownCredentials: () => OwnCredentials
    readonly routes: Routes
  }

/** Facts that only this request has: how the caller's own hash compared, and a person's decision if there is one. */
export type Moment = {
  readonly integrity: Facts['integrity']
  readonly approval?: ApprovalFact
  readonly retry?: RetryFact
  /** The request was made some time ago and has waited, for a person or in a run. */
  readonly asked_earlier?: boolean
}

/** The facts, and for a commit that acts on them the versions of what others can change. */
export type Gathered = { readonly facts: Facts; readonly seen: SeenVersions }

/** Everything a decision uses. A fact that is not available is `unknown`, and the deciders handle that. */
export async function gatherFacts(deps: FactsDeps, call: Call, tool: Tool, moment: Moment): Promise<Facts> {
  return (await gatherSeen(deps, call, tool, moment)).facts
}

/**
 * INVARIANT: what others can change is requested before anything that may take long, so that a change that is acknowledged in the meantime
 * loses the commit. The rest is read in parallel: a remote store costs one wait. Usually everything is known, and nothing is awaited.
 */
export function gatherSeen(deps: FactsDeps, call: Call, tool: Tool, moment: Moment): MaybePromise<Gathered> {
  const now = deps.clock()
  const changeable = readChangeableFacts(deps, call, tool, now, moment.asked_earlier ?? call.by_run !== undefined)
  const { judgement } = deps
  const asked: Asked = {
    changeable,
    approvers: approversFor(deps, tool),
    traps: trapFacts(deps),
    content: contentFact(judgement, call, tool),
    guarded: judgement.scanner.guarded(call.canonical_args, deps.ownCredentials(), judgement.traps),
    budgets: budgetFacts(deps, call, tool, now),
    history: historyFact(deps, call, tool),
    health: healthFact(deps, call, tool, now),
    provenance: provenanceFact(deps, call, tool),
    capabilities: capabilitiesFact(deps, call),
    files: filesFact(deps, call, tool),
  }
  return isKnown(asked)
    ? factsOf(deps, call, tool, moment, now, asked)
    : settled(asked).then((found) => factsOf(deps, call, tool, moment, now, found))
}

type Found = Pick<Facts, 'traps' | 'content' | 'guarded' | 'budgets' | 'history' | 'health' | 'files'> & {
  readonly changeable: ChangeableFacts
  readonly approvers: number | undefined
  readonly capabilities: Facts['capabilities'] | undefined
  readonly provenance: Pick<Facts, 'provenance' | 'labels'>
}

type Asked = { readonly [Name in keyof Found]: MaybePromise<Found[Name]> }

function isKnown(asked: Asked): asked is Found {
  for (const name in asked) if (asked[name as keyof Asked] instanceof Promise) return false
  return true
}

async function settled(asked: Asked): Promise<Found> {
  // All of them together: one that fails while another is awaited would be an unhandled rejection.
  await Promise.all(Object.values<unknown>(asked).filter((fact) => fact instanceof Promise))
  return {
    changeable: await asked.changeable,
    approvers: await asked.approvers,
    traps: await asked.traps,
    content: await asked.content,
    guarded: await asked.guarded,
    budgets: await asked.budgets,
    history: await asked.history,
    health: await asked.health,
    provenance: await asked.provenance,
    capabilities: await asked.capabilities,
    files: await asked.files,
  }
}

function factsOf(
  deps: FactsDeps,
  call: Call,
  tool: Tool,
  { integrity, approval, retry }: Moment,
  now: number,
  found: Found,
): Gathered {
  const { approvers, capabilities } = found
  const { pauses, credential, expects, valid_until } = found.changeable
  const { provenance, labels } = found.provenance
  const facts: { -readonly [Field in keyof Facts]: Facts[Field] } = {
    now,
    integrity,
    tool,
    tags: settingsOf(deps.judgement, tool)?.tags ?? NO_TAGS,
    lane: call.by_run?.lane ?? null,
    sandboxed: deps.judgement.servers[tool.row.server]?.sandbox !== undefined,
    credential,
    pauses,
    look_alikes: lookAlikesOf(deps, tool),
    files: found.files,
    traps: found.traps,
    content: found.content,
    guarded: found.guarded,
    budgets: found.budgets,
    history: found.history,
    health: found.health,
    provenance,
  }
  if (labels !== undefined) facts.labels = labels
  if (approvers !== undefined) facts.approvers = approvers
  if (capabilities !== undefined) facts.capabilities = capabilities
  if (approval !== undefined) facts.approval = approval
  if (retry !== undefined) facts.retry = retry
  const route = routeOf(deps, call, tool, capabilities)
  if (route !== undefined) facts.route = route
  return { facts, seen: { expects, valid_until } }
}

/** A constant, because plans are cached by the identity of this list. */
const NO_TAGS: readonly string[] = []

function routeOf(
  { routes }: FactsDeps,
  call: Call,
  tool: Tool,
  capabilities: Facts['capabilities'],
): Facts['route'] | undefined {
  const stated = routeFact(routes, call, tool)
  const isDocument = capabilities !== undefined && capabilities !== 'unknown'
  return isDocument ? withDocument(stated, capabilities.asks, routes.groups, routes.chat) : stated
}

/** Only presets use this number, and only for critical risk. */
const approversFor = (deps: FactsDeps, { risk }: Tool): MaybePromise<number | undefined> =>
  risk === 'critical' ? countApprovers(deps) : undefined
