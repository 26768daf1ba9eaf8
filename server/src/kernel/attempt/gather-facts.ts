import type { Call } from '../contract/call.ts'
import type { Tool } from '../contract/tool.ts'
import type { ApprovalFact, Facts, RetryFact } from '../decide/facts.ts'
import { settingsOf, type Fact, type FactsPorts, type Judgement } from '../decide/judging.ts'
import { withDocument } from '../approvals/routes/document-route.ts'
import { routeFact } from '../approvals/routes/routes.ts'
import { readChangeableFacts, type ChangeableFacts, type SeenVersions } from './facts/changeable-facts.ts'
import type { MaybePromise } from '../ports/runtime.ts'
import type { LookAlike } from '../catalogue/look-alike.ts'
import type { Catalogue } from '../ports/catalogue.ts'

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
export async function gatherFacts(deps: FactsPorts, call: Call, tool: Tool, moment: Moment): Promise<Facts> {
  return (await gatherSeen(deps, call, tool, moment)).facts
}

/**
 * INVARIANT: what others can change is requested before anything that may take long, so that a change that is acknowledged in the meantime
 * loses the commit. The rest is read in parallel: a remote store costs one wait. Usually everything is known, and nothing is awaited.
 */
export function gatherSeen(deps: FactsPorts, call: Call, tool: Tool, moment: Moment): MaybePromise<Gathered> {
  const now = deps.clock()
  const changeable = readChangeableFacts(deps, call, tool, now, moment.asked_earlier ?? call.by_run !== undefined)
  const facts: FactsBeingGathered = { now, integrity: moment.integrity, tool }
  const gathering = gatherInto(facts, deps.judgement.facts, deps, call, tool)
  return changeable instanceof Promise || gathering !== undefined
    ? Promise.all([changeable, gathering]).then(([read]) => gatheredOf(deps, call, moment, facts, read))
    : gatheredOf(deps, call, moment, facts, changeable)
}

type FactsBeingGathered = { -readonly [Field in keyof Facts]?: Facts[Field] } & Pick<Facts, 'now' | 'tool'>

/** Undefined if nothing has to be awaited. */
function gatherInto(
  facts: Pick<Facts, 'now'>,
  registry: readonly Fact[],
  deps: FactsPorts,
  call: Call,
  tool: Tool,
): Promise<unknown> | undefined {
  let waiting: Promise<void>[] | undefined
  for (const fact of registry) {
    const value = gatherOne(fact, deps, call, tool, facts.now)
    if (value instanceof Promise) (waiting ??= []).push(value.then((known) => put(facts, fact.name, known)))
    else put(facts, fact.name, value)
  }
  // All of them together: one that fails while another is awaited would be an unhandled rejection.
  return waiting && Promise.all(waiting)
}

/** One that throws is a rejection like any other: the promises of those before it must be awaited, too. */
function gatherOne(fact: Fact, deps: FactsPorts, call: Call, tool: Tool, now: number): unknown {
  try {
    return fact.gather(deps, call, tool, now)
  } catch (cause) {
    return Promise.reject(cause)
  }
}

function put(facts: object, name: keyof Facts, value: unknown): void {
  if (value !== undefined) (facts as Record<string, unknown>)[name] = value
}

function gatheredOf(
  deps: FactsPorts,
  call: Call,
  { approval, retry }: Moment,
  gathered: FactsBeingGathered,
  { pauses, credential, expects, valid_until }: ChangeableFacts,
): Gathered {
  const { tool } = gathered
  gathered.tags = settingsOf(deps.judgement, tool)?.tags ?? NO_TAGS
  gathered.lane = call.by_run?.lane ?? null
  gathered.look_alikes = lookAlikesOf(deps, tool)
  gathered.pauses = pauses
  gathered.credential = credential
  if (approval !== undefined) gathered.approval = approval
  if (retry !== undefined) gathered.retry = retry
  // Each fact of the registry is there, and one that may not be absent is never undefined.
  const facts = gathered as Facts
  const route = routeOf(deps, call, facts)
  if (route !== undefined) gathered.route = route
  return { facts, seen: { expects, valid_until } }
}

/** A constant, because plans are cached by the identity of this list. */
const NO_TAGS: readonly string[] = []

function routeOf({ routes, judgement }: FactsPorts, call: Call, facts: Facts): Facts['route'] {
  const stated = routeFact(routes, call, facts.tool)
  const asks = judgement.asksOf(facts)
  return asks === undefined ? stated : withDocument(stated, asks, routes.groups, routes.chat)
}

const MOST_NAMED = 5

/**
 * Other servers' tools that this one can be mistaken for, except those the operator has accepted. The catalogue determines them when tools
 * are listed.
 */
function lookAlikesOf(
  { catalogue, judgement }: { readonly catalogue: Catalogue; readonly judgement: Judgement },
  tool: Tool,
): readonly LookAlike[] {
  const all = catalogue.lookAlikes(tool.row.tool_id)
  if (all.length === 0) return all
  const known = settingsOf(judgement, tool)?.known_look_alikes ?? []
  return all.filter(({ tool_id }) => !known.includes(tool_id)).slice(0, MOST_NAMED)
}
