import type { AuditEvent } from '../../kernel/contract/audit-events.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { FlowConsentRow, FlowRow, FlowRunRow, FlowVersionRow, ProposalRow } from './flow-rows.ts'
import type { FlowHistoryItem, FlowScope, FlowSettings, FlowStep } from './flows.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { flowPolicyOf, passGates, type FlowPolicy, type FlowPolicySource, type Gated } from './flow-policy.ts'
import type { SeenKey } from '../../kernel/consents/match-consent.ts'
import { vaultOf, visibleScopes } from './flow-scopes.ts'
import { listingsFor, versionId } from './flow-listings.ts'
import { mayChangeRun } from './may-change-run.ts'
import { noted } from './run-moves.ts'
import type { Change, Ledger } from '../../kernel/ports/ledger.ts'
import type { Accounts, Tables } from '../../kernel/ports/reads.ts'
import type { Clock, Digest, Ids } from '../../kernel/ports/runtime.ts'
import { isLostToProof, type ProvenPerson } from '../../kernel/identity/prove-person.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'
import { refuse } from './problems.ts'

/** What every action on flows needs. */
export type FlowPorts = {
  readonly tables: Tables
  readonly ledger: Ledger
  readonly accounts: Accounts
  readonly clock: Clock
  readonly ids: Ids
  readonly digest: Digest
  readonly flowSettings: FlowSettings
  readonly flowPolicy: FlowPolicySource
  readonly judgement: Pick<Judgement, 'scanner'>
}

export type HeldRun = { readonly row: FlowRunRow; readonly version: number }

/** What a caller may see, inside one vault. */
export type Visibility = { readonly vault: string | undefined; readonly scopes: readonly FlowScope[] }

export async function gated(deps: Pick<FlowPorts, 'flowPolicy'>, needs: Gated): Promise<Result<FlowPolicy>> {
  return passGates(await policyInForce(deps), needs)
}

export async function policyInForce({ flowPolicy }: Pick<FlowPorts, 'flowPolicy'>): Promise<FlowPolicy | undefined> {
  return flowPolicyOf(await flowPolicy.file(), flowPolicy.env)
}

/** INVARIANT: determined only by the credential and the operator's grants; of a request, only the name of a vault is used. */
export function visibilityOf(
  { flowSettings }: Pick<FlowPorts, 'flowSettings'>,
  caller: Caller,
  vault?: string,
): Result<Visibility> {
  const scopes = visibleScopes(caller, flowSettings.grants)
  if (!scopes.ok) return scopes
  const named = vaultOf(caller, vault)
  return named.ok ? ok({ vault: named.value, scopes: scopes.value }) : named
}

/** Invisible and missing look the same. */
export async function visibleRun(
  deps: Pick<FlowPorts, 'tables' | 'flowSettings' | 'digest'>,
  caller: Caller,
  { run_id, vault_id }: { readonly run_id: string; readonly vault_id?: string },
): Promise<Result<HeldRun>> {
  const visibility = visibilityOf(deps, caller, vault_id)
  if (!visibility.ok) return visibility
  const held = await deps.tables.row('flows', run_id)
  return held?.row.is === 'run' && sees(visibility.value, held.row)
    ? ok({ row: held.row, version: held.version })
    : refuse('unknown_run', { run_id })
}

/** A run that this caller may change, or why not. */
export const changeableRun: typeof visibleRun = async (deps, caller, asked) => {
  const held = await visibleRun(deps, caller, asked)
  if (!held.ok) return held
  const allowed = mayChangeRun(deps.digest, caller, held.value.row)
  return allowed.ok ? held : allowed
}

export const sees = (
  { vault, scopes }: Visibility,
  row: { readonly vault_id: string; readonly scope: FlowScope },
): boolean => row.vault_id === vault && scopes.includes(row.scope)

/** Whether a caller may read what belongs to this vault and scope. A caller who may name any vault sees every vault. */
export function maySeeFlow(
  deps: Pick<FlowPorts, 'flowSettings'>,
  caller: Caller,
  place: { readonly vault_id: string; readonly scope: FlowScope },
): boolean {
  const visibility = visibilityOf(deps, caller, place.vault_id)
  return visibility.ok && sees(visibility.value, place)
}

export async function versionRow(
  { tables }: Pick<FlowPorts, 'tables'>,
  vault: string,
  flow_id: string,
  version: string,
): Promise<FlowVersionRow | undefined> {
  const held = await tables.row('flows', versionId(vault, flow_id, version))
  return held?.row.is === 'version' ? held.row : undefined
}

/** The bodies of a run's steps, in the version that it pins. */
export async function stepsOf(deps: Pick<FlowPorts, 'tables'>, run: FlowRunRow): Promise<readonly FlowStep[]> {
  return (await versionRow(deps, run.vault_id, run.flow_id, run.flow_version))?.steps ?? []
}

export const etagOf = (version: number): string => `v${version}`

/** `*` and an absent etag match everything; quotes are those of HTTP. */
export function checkEtag(etag: string | undefined, version: number): Result<void> {
  const plain = etag?.replace(/^W\//, '').replaceAll('"', '')
  if (plain === undefined || plain === '*' || plain === etagOf(version)) return ok(undefined)
  return refuse('FLOW_ETAG_MISMATCH', { etag: etagOf(version) })
}

/** A row with its listing keys. */
export function swapFlow(row: FlowRow, id: string, from: number | 'absent'): Change {
  const { shelf: _a, shelf_status: _b, shelf_flow: _c, shelf_flow_status: _d, ...plain } = row
  const to = { ...plain, ...listingsFor(row) } as FlowRow
  return { kind: 'swap', table: 'flows', id, from, to }
}

export const isoOf = (at: number): string => new Date(at).toISOString()

/** A line of the run's history, also recorded as an audit entry. */
export type Did = {
  readonly by: Caller
  readonly type: AuditEvent
  readonly did: string
  readonly step_id?: string
  readonly note?: string | null
  readonly about?: Readonly<Record<string, string | number | boolean>>
  readonly trace?: string
}

export function withHistory(run: FlowRunRow, { by, did, step_id, note }: Omit<Did, 'type'>, now: number): FlowRunRow {
  const item: FlowHistoryItem = { at: isoOf(now), by: by.id, did, step_id: step_id ?? null, note: note ?? null }
  return noted(run, item)
}

export function auditFlow(
  deps: Pick<FlowPorts, 'ids'>,
  run: Pick<FlowRunRow, 'run_id' | 'flow_id' | 'flow_version'>,
  { by, type, step_id, about = {}, trace }: Did,
  at: number,
): Change {
  const subject = { run: run.run_id, flow: `${run.flow_id}@${run.flow_version}` }
  const details = { ...about, ...(step_id === undefined ? {} : { step: step_id }) }
  return {
    kind: 'audit',
    entry: { at, type, actor: by.id, trace: trace ?? deps.ids.trace(), subject, about: details },
  }
}

const TRIES = 20

/** The next state of a run, other changes to commit with it, and what is reported. */
export type RunChange = {
  readonly row: FlowRunRow
  readonly did: Did
  readonly more?: readonly Change[]
  /** For somebody who gives permission with it. */
  readonly proven?: ProvenPerson
}

/**
 * Reads a run, decides, and swaps it. A commit that is lost to somebody else is decided again, unless the caller named the etag
 * that it decided on. `readRun`: who may do this, if that is not decided by who may change the run.
 */
export async function changeRun(
  deps: FlowPorts,
  caller: Caller,
  asked: { readonly run_id: string; readonly vault_id?: string; readonly etag?: string },
  decide: (held: HeldRun) => Promise<Result<RunChange>> | Result<RunChange>,
  readRun: typeof visibleRun = changeableRun,
): Promise<Result<HeldRun>> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const held = await readRun(deps, caller, asked)
    if (!held.ok) return held
    const same = checkEtag(asked.etag, held.value.version)
    if (!same.ok) return same
    const next = await decide(held.value)
    if (!next.ok) return next
    const { did, more = [], proven } = next.value
    const now = deps.clock()
    const row = withHistory(next.value.row, did, now)
    const changes = [
      ...(proven?.changes ?? []),
      swapFlow(row, row.run_id, held.value.version),
      ...more,
      auditFlow(deps, row, did, now),
    ]
    const recorded = await deps.ledger.commit(changes)
    if (recorded === 'committed') return ok({ row, version: held.value.version + 1 })
    if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
    if (proven !== undefined && isLostToProof(proven, changes, recorded)) return refuse('request.replayed')
  }
  return refuse('audit.unavailable')
}

export const accountOf = (consent_id: string): string => `flow-consent:${consent_id}`

/** A consent as it stands now, and the key it was given with. */
export type HeldConsent = { readonly row: FlowConsentRow; readonly version: number; readonly key?: SeenKey }
export type HeldProposal = { readonly row: ProposalRow; readonly version: number }
