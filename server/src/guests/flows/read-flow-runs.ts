import type { Caller } from '../../kernel/contract/caller.ts'
import {
  FLOW_SCHEMAS,
  type ExecutionView,
  type FlowConsentView,
  type FlowHistoryItem,
  type FlowRunView,
  type FlowStep,
} from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { actorHash } from './actor-hash.ts'
import { listRequest, runRequest } from './flow-requests.ts'
import { runListing, runListingField } from './flow-listings.ts'
import { mayChangeRun } from './may-change-run.ts'
import { asItStands } from '../../kernel/identity/standing-grants.ts'
import type { Stored } from '../../kernel/ports/reads.ts'
import { accountOf, visibilityOf, stepsOf, visibleRun, type FlowPorts, type Visibility } from './flow-access.ts'
import { consentView, executionView, runView } from './flow-views.ts'

type ReadPorts = Pick<FlowPorts, 'tables' | 'flowSettings' | 'accounts' | 'digest'>

export type FlowRunAnswer = { readonly schema: string; readonly vault_id: string; readonly run: FlowRunView }

export async function getFlowRun(
  deps: ReadPorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<FlowRunAnswer>> {
  const asked = runRequest(body)
  if (!asked.ok) return asked
  const held = await visibleRun(deps, caller, asked.value)
  if (!held.ok) return held
  return ok({ schema: FLOW_SCHEMAS.run, vault_id: held.value.row.vault_id, run: runView(held.value) })
}

export type FlowRunsAnswer = {
  readonly schema: string
  readonly vault_id: string
  readonly runs: readonly FlowRunView[]
  readonly next_cursor?: string
}

/** Newest first. A page is full unless it is the last one, however many rows the caller may not see are in between. */
export async function listFlowRuns(
  deps: ReadPorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<FlowRunsAnswer>> {
  const asked = listRequest(body)
  if (!asked.ok) return asked
  const visibility = visibilityOf(deps, caller, asked.value.vault_id)
  if (!visibility.ok) return visibility
  const { cursor, limit, ...filter } = asked.value
  const field = runListingField(filter)
  const { items, next } = await listMerged(
    deps,
    visibility.value,
    { limit, ...(cursor === undefined ? {} : { cursor }) },
    (vault, scope) => ({
      [field]: runListing(vault, scope, filter),
    }),
  )
  const runs = items.flatMap(({ row, version }) => (row.is === 'run' ? [runView({ row, version })] : []))
  return ok({
    schema: FLOW_SCHEMAS.list,
    vault_id: visibility.value.vault ?? asked.value.vault_id ?? '',
    runs,
    ...(next === undefined ? {} : { next_cursor: String(next) }),
  })
}

type PageAsked = { readonly limit: number; readonly cursor?: number }

/** One listing per visible scope, merged by position. */
export async function listMerged(
  { tables }: Pick<FlowPorts, 'tables'>,
  { vault, scopes }: Visibility,
  { limit, cursor }: PageAsked,
  whereOf: (vault: string, scope: Visibility['scopes'][number]) => Readonly<Record<string, string>>,
): Promise<{ readonly items: readonly Stored<'flows'>[]; readonly next?: number }> {
  if (vault === undefined) return { items: [] }
  const page = { limit: limit + 1, newest_first: true, ...(cursor === undefined ? {} : { after: cursor }) }
  const listed = await Promise.all(scopes.map((scope) => tables.list('flows', whereOf(vault, scope), page)))
  const merged = listed.flat().toSorted((one, other) => other.cursor - one.cursor)
  const items = merged.slice(0, limit)
  const last = items.at(-1)
  return merged.length > limit && last !== undefined ? { items, next: last.cursor } : { items }
}

/** A run as a checklist: what each step is, what was done and by whom, which consents and executions there are. */
export type FlowChecklist = FlowRunAnswer & {
  readonly title: string
  readonly may_change: boolean
  readonly steps: readonly FlowStep[]
  readonly history: readonly FlowHistoryItem[]
  readonly executions: readonly (ExecutionView & { readonly by: string; readonly reason: string | null })[]
  readonly consents: readonly (FlowConsentView & {
    readonly minted_by: string
    readonly lifts_asks: boolean
    readonly own: boolean
  })[]
}

const MOST_CONSENTS = 100

export async function readChecklist(
  deps: ReadPorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<FlowChecklist>> {
  const asked = runRequest(body)
  if (!asked.ok) return asked
  const held = await visibleRun(deps, caller, asked.value)
  if (!held.ok) return held
  const { row } = held.value
  const consents = await deps.tables.list(
    'flow_consents',
    { of_run: row.run_id },
    { limit: MOST_CONSENTS, newest_first: true },
  )
  const actor = actorHash(deps.digest, caller)
  return ok({
    schema: FLOW_SCHEMAS.run,
    vault_id: row.vault_id,
    run: runView(held.value),
    title: row.title,
    may_change: mayChangeRun(deps.digest, caller, row).ok,
    steps: await stepsOf(deps, row),
    history: row.history,
    executions: row.executions.map((record) => ({
      ...executionView(record),
      by: record.by,
      reason: record.reason,
    })),
    consents: await Promise.all(
      consents.map(async (one) => {
        const { row: consent } = await asItStands(deps.tables, one.row)
        return {
          ...consentView(consent, await deps.accounts.left(accountOf(consent.consent_id))),
          minted_by: consent.minted_by,
          lifts_asks: consent.lifts_asks,
          own: consent.actor_hash === actor,
        }
      }),
    ),
  })
}
