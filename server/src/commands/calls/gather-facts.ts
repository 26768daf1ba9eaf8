import type { Call } from '../../contract/call.ts'
import type { Tool } from '../../contract/tool.ts'
import type { ApprovalFact, Facts } from '../../core/gate/facts.ts'
import { withDocument } from '../../core/approvals/routes/document-route.ts'
import { routeFact, type Routes } from '../../core/approvals/routes/routes.ts'
import type { OwnCredentials } from '../../core/gate/own-credentials/find-own.ts'
import { countApprovers, type ApproverDeps } from '../identity/count-approvers.ts'
import { budgetFacts, type BudgetDeps } from './facts/budget-facts.ts'
import { capabilitiesFact, type CapabilitiesDeps } from './facts/capabilities-fact.ts'
import { contentFact } from './facts/content-fact.ts'
import { filesFact, type FilesDeps } from './facts/files-fact.ts'
import { healthFact, type HealthDeps } from './facts/health-fact.ts'
import { historyFact, type HistoryDeps } from './facts/history-fact.ts'
import { settingsOf } from './facts/load-judgement.ts'
import { lookAlikesOf } from './facts/look-alikes.ts'
import { provenanceFact, type ProvenanceDeps } from './facts/provenance-fact.ts'
import { readChangeableFacts, type SeenVersions } from './facts/changeable-facts.ts'
import { trapFacts } from './facts/trap-facts.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Clock, MaybePromise } from '../ports/runtime.ts'
import { withResults, withResult } from '../maybe-promise.ts'

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

/** What only the current moment knows: how the caller's own hash compared, and a person's decision if there is one. */
export type Moment = {
  readonly integrity: Facts['integrity']
  readonly approval?: ApprovalFact
  /** The request was made some time ago and has waited, for a person or in a run. */
  readonly asked_earlier?: boolean
}

/** The facts, and for a commit that acts on them the versions of what others can change. */
export type Gathered = { readonly facts: Facts; readonly seen: SeenVersions }

/** Everything a decision uses. A fact that is not available is `unknown`, and the deciders handle that. */
export async function gatherFacts(deps: FactsDeps, call: Call, tool: Tool, told: Moment): Promise<Facts> {
  return (await gatherSeen(deps, call, tool, told)).facts
}

/**
 * INVARIANT: what others can change is asked for before anything that may take long, so that whatever is acknowledged in the
 * meantime loses the commit. The rest is read in parallel: a remote store costs one wait.
 */
export async function gatherSeen(deps: FactsDeps, call: Call, tool: Tool, moment: Moment): Promise<Gathered> {
  const now = deps.clock()
  const { asked_earlier = call.by_run !== undefined, ...told } = moment
  const changeable = readChangeableFacts(deps, call, tool, now, asked_earlier)
  const { judgement } = deps
  const settings = settingsOf(judgement, tool)
  const asked = [
    approversFor(deps, tool),
    trapFacts(deps),
    contentFact(judgement, call, tool),
    judgement.scanner.guarded(call.canonical_args, deps.ownCredentials(), judgement.traps),
    budgetFacts(deps, call, tool, now),
    historyFact(deps, call, tool),
    healthFact(deps, call, tool, now),
    provenanceFact(deps, call, tool),
    capabilitiesFact(deps, call),
  ] as const
  const looking = filesFact(deps, call, tool)
  const others = withResults(asked, (found) => found)
  const [files, [approvers, traps, content, guarded, budgets, history, health, provenance, capabilities]] =
    others instanceof Promise ? await Promise.all([looking, others]) : [await looking, others]
  const { pauses, credential, ...seen } = await changeable
  const facts: Facts = {
    now,
    tool,
    tags: settings?.tags ?? [],
    lane: call.by_run?.lane ?? null,
    sandboxed: deps.judgement.servers[tool.row.server]?.sandbox !== undefined,
    ...approvers,
    credential,
    pauses,
    look_alikes: lookAlikesOf(deps, tool),
    files,
    traps,
    content,
    guarded,
    budgets,
    history,
    health,
    ...provenance,
    ...routeOf(deps, call, tool, capabilities),
    ...capabilities,
    ...told,
  }
  return { facts, seen }
}

function routeOf(
  { routes }: FactsDeps,
  call: Call,
  tool: Tool,
  { capabilities }: Pick<Facts, 'capabilities'>,
): Pick<Facts, 'route'> {
  const stated = routeFact(routes, call, tool)
  const isDocument = capabilities !== undefined && capabilities !== 'unknown'
  const route = isDocument ? withDocument(stated, capabilities.asks, routes.groups, routes.chat) : stated
  return route === undefined ? {} : { route }
}

/** Only presets use this number, and only for critical risk. */
function approversFor(deps: FactsDeps, { risk }: Tool): MaybePromise<Pick<Facts, 'approvers'>> {
  return risk === 'critical'
    ? withResult(countApprovers(deps), (approvers) => (approvers === undefined ? {} : { approvers }))
    : {}
}
