import type { AuditDraft } from '../contract/audit.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { boundDefinition, collectFaults, TOOL_BOUNDS, type ListingFault } from '../contract/tool-bounds.ts'
import type { ServerRow, ToolDefinition, ToolRow } from '../contract/tool.ts'
import { definitionText, toolIdOf } from './definition.ts'
import type { KnownRow, LiveCatalogue } from './catalogue.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Stored, Tables } from '../ports/reads.ts'
import type { YieldWhenDue, Clock, Digest, Ids } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

const TRIES = 8
/** The limit of rows per commit: writing them takes a few milliseconds. */
const MOST_ROWS = 50
const MOST_CHARACTERS = 500_000

export type RegisterPorts = {
  readonly ledger: Ledger
  readonly tables: Pick<Tables, 'row'>
  readonly clock: Clock
  readonly digest: Digest
  readonly ids: Pick<Ids, 'trace'>
  readonly catalogue: Pick<LiveCatalogue, 'refresh' | 'take' | 'known'>
  /** Yields to other work between two tools. */
  readonly yieldWhenDue?: YieldWhenDue
  /** Removes the gate's own credentials from a definition. */
  readonly redact?: (definition: ToolDefinition) => ToolDefinition
}

/** What a listing changed, as tool ids, and what was cut or left out. */
export type Registered = {
  readonly listed: readonly string[]
  readonly changed: readonly string[]
  readonly gone: readonly string[]
  readonly findings: readonly ListingFault[]
  /** Findings that were not known before. */
  readonly news: readonly ListingFault[]
}

/**
 * Updates the catalogue to what a server lists now. Tools of a server's first listing ever are admitted with it; a later one
 * waits for an operator, and a changed one keeps the admission of its earlier definition.
 * INVARIANT: only a first listing or an operator admits a definition (law in register-tools.test.ts).
 * INVARIANT: no listing removes an admission: a tool that is removed and comes back unchanged is admitted as before.
 */
export async function registerTools(
  deps: RegisterPorts,
  server: string,
  definitions: readonly ToolDefinition[],
  found: readonly ListingFault[] = [],
): Promise<Result<Registered>> {
  const listing = await listingOf(deps, server, definitions, found)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const registered = await write(deps, server, listing)
    if (registered !== 'lost') return registered
    await deps.catalogue.refresh(server)
  }
  return refuse('audit.unavailable', { server })
}

type Listed = { readonly definition: ToolDefinition; readonly hash: string; readonly size: number }
type Listing = { readonly tools: ReadonlyMap<string, Listed>; readonly findings: readonly ListingFault[] }

async function listingOf(
  { digest, yieldWhenDue, redact = (definition) => definition }: RegisterPorts,
  server: string,
  definitions: readonly ToolDefinition[],
  found: readonly ListingFault[],
): Promise<Listing> {
  const tools = new Map<string, Listed>()
  const findings = collectFaults(found)
  let characters = 0
  for (const listed of definitions) {
    await yieldWhenDue?.()
    const bounded = boundDefinition(listed, (rule) => findings.note(rule, listed.name))
    if (bounded === undefined) continue
    const definition = redact(bounded)
    const text = definitionText(definition)
    const tool_id = toolIdOf(server, definition.name, digest)
    characters += text?.length ?? 0
    if (text === undefined) findings.note('not_canonical', listed.name)
    // The first of two equal names counts: it is the one the gate shows, and the only one a person can admit.
    else if (tools.has(tool_id)) findings.note('name_taken', listed.name)
    else if (tools.size >= TOOL_BOUNDS.tools) findings.note('too_many_tools', listed.name)
    else if (characters > TOOL_BOUNDS.listing) findings.note('too_much_text', listed.name)
    else tools.set(tool_id, { definition, hash: digest(text), size: text.length })
  }
  return { tools, findings: findings.all() }
}

type What = 'listed' | 'changed' | 'gone'
type Step = {
  readonly what: What
  readonly changes: readonly Change[]
  readonly tool_id: string
  readonly size: number
}

/**
 * Writes what is new, in commits of limited size. The server's own row comes last: until then, its first listing is in progress.
 */
async function write(deps: RegisterPorts, server: string, listing: Listing): Promise<Result<Registered> | 'lost'> {
  const stored = await deps.tables.row('servers', server)
  const now = deps.clock()
  const trace = deps.ids.trace()
  const steps = reconcile(listing, deps.catalogue.known(server), {
    server,
    now,
    trace,
    first: stored?.row.first_listed_at === undefined,
  })
  for (const batch of batches(steps)) {
    const committed = await deps.ledger.commit(batch.flatMap(({ changes }) => changes))
    if (isUnrecorded(committed)) return refuseUnrecorded(committed, { server })
    // What was written before a lost commit is read again too, with everything else.
    if (committed !== 'committed') return 'lost'
    await deps.catalogue.take(
      server,
      batch.map(({ tool_id }) => tool_id),
    )
    await deps.yieldWhenDue?.()
  }
  const { changes, news } = serverChanges(server, stored, listing.findings, now, trace)
  const committed = changes.length === 0 ? 'committed' : await deps.ledger.commit(changes)
  if (isUnrecorded(committed)) return refuseUnrecorded(committed, { server })
  if (committed !== 'committed') return 'lost'
  await deps.catalogue.refresh(server, [])
  const ids = (what: What) => steps.filter((step) => step.what === what).map(({ tool_id }) => tool_id)
  return ok({ listed: ids('listed'), changed: ids('changed'), gone: ids('gone'), findings: listing.findings, news })
}

function* batches(steps: readonly Step[]): Generator<readonly Step[]> {
  let batch: Step[] = []
  let characters = 0
  for (const step of steps) {
    if (batch.length > 0 && (batch.length >= MOST_ROWS || characters + step.size > MOST_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(step)
    characters += step.size
  }
  if (batch.length > 0) yield batch
}

type At = { readonly server: string; readonly now: number; readonly trace: string; readonly first: boolean }

function reconcile(listing: Listing, known: ReadonlyMap<string, KnownRow>, at: At): readonly Step[] {
  const step = (was: KnownRow | undefined, to: ToolRow, what: What, size: number): Step => ({
    what,
    tool_id: to.tool_id,
    size: size * 2,
    changes: [
      { kind: 'swap', table: 'tools', id: to.tool_id, from: was?.version ?? 'absent', to },
      { kind: 'audit', entry: entryFor(to, what, at) },
    ],
  })
  const steps: Step[] = []
  for (const [tool_id, listed] of listing.tools) {
    const was = known.get(tool_id)
    const changed = was !== undefined && was.row.definition_hash !== listed.hash
    if (was !== undefined && !changed && was.row.gone_at === undefined) continue
    steps.push(step(was, listedRow(was?.row, tool_id, at, listed), changed ? 'changed' : 'listed', listed.size))
  }
  for (const [tool_id, was] of known)
    if (!listing.tools.has(tool_id) && was.row.gone_at === undefined)
      steps.push(step(was, { ...was.row, gone_at: at.now }, 'gone', JSON.stringify(was.row.definition).length))
  return steps
}

/**
 * The server's row, if its first listing was written or its findings changed. Two processes may both see a first listing; the
 * version decides which of them admits.
 */
function serverChanges(
  server: string,
  was: Stored<'servers'> | undefined,
  findings: readonly ListingFault[],
  now: number,
  trace: string,
): { readonly changes: readonly Change[]; readonly news: readonly ListingFault[] } {
  const rulesOf = (row: ServerRow | undefined) => (row?.findings ?? []).map(({ rule }) => rule).join()
  const reported = was?.row.findings_told ?? []
  const news = findings.filter(({ rule }) => !reported.includes(rule))
  const isSame = rulesOf(was?.row) === findings.map(({ rule }) => rule).join()
  if (was?.row.first_listed_at !== undefined && isSame) return { changes: [], news }
  const row: ServerRow = {
    v: 1,
    server,
    added_at: was?.row.added_at ?? now,
    first_listed_at: was?.row.first_listed_at ?? now,
    ...(findings.length === 0 ? {} : { findings }),
    ...(reported.length + news.length === 0 ? {} : { findings_told: [...reported, ...news.map(({ rule }) => rule)] }),
  }
  // A finding is recorded once, not with every listing.
  const audited = news.map(({ rule, tools, example }): Change => {
    const entry = {
      at: now,
      type: 'server.listing_bounded' as const,
      actor: `server:${server}`,
      trace,
      subject: { server },
    }
    return { kind: 'audit', entry: { ...entry, about: { rule, tools, example } } }
  })
  return {
    changes: [{ kind: 'swap', table: 'servers', id: server, from: was?.version ?? 'absent', to: row }, ...audited],
    news,
  }
}

/** INVARIANT: the only admission made here is that of the first listing; any other is kept unchanged. */
function listedRow(was: ToolRow | undefined, tool_id: string, at: At, { definition, hash }: Listed): ToolRow {
  const { server, now, first } = at
  const admitted = was === undefined && first ? { hash, definition, at: now, by: 'first-listing' } : was?.admitted
  return {
    v: 1,
    tool_id,
    server,
    definition,
    definition_hash: hash,
    ...(admitted === undefined ? {} : { admitted }),
    first_seen: was?.first_seen ?? now,
    last_changed: was?.definition_hash === hash ? was.last_changed : now,
  }
}

function entryFor(row: ToolRow, what: What, { now, trace }: At): AuditDraft {
  return {
    at: now,
    type: `tool.${what}`,
    actor: `server:${row.server}`,
    trace,
    subject: { server: row.server, tool: row.tool_id },
    about: { definition_hash: row.definition_hash, admitted_hash: row.admitted?.hash ?? null },
  }
}
