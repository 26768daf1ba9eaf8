import type { AuditDraft } from '../../contract/audit.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import type { ServerRow, ToolDefinition, ToolRow } from '../../contract/tool.ts'
import { definitionText, toolIdOf } from '../../core/catalogue/definition.ts'
import type { LiveCatalogue } from './catalogue.ts'
import type { Change, Clock, Digest, Held, Ids, Ledger, Shelves } from '../ports.ts'

const TRIES = 8
const PAGE = 500

export type RegisterDeps = {
  readonly ledger: Ledger
  readonly shelves: Shelves
  readonly clock: Clock
  readonly digest: Digest
  readonly ids: Pick<Ids, 'trace'>
  readonly catalogue: Pick<LiveCatalogue, 'refresh'>
}

/** What a listing changed, as tool ids; `unusable` are names that cannot be pinned or are already taken in the listing. */
export type Registered = {
  readonly listed: readonly string[]
  readonly changed: readonly string[]
  readonly gone: readonly string[]
  readonly unusable: readonly string[]
}

/**
 * Makes the catalogue agree with what a server lists now. Tools of a server's first listing ever are admitted with it; a
 * later one waits for an operator, and a changed one keeps the admission of what it was.
 * INVARIANT: nothing but a first listing or an operator admits a definition (law in register-tools.test.ts).
 */
export async function registerTools(
  deps: RegisterDeps,
  server: string,
  definitions: readonly ToolDefinition[],
): Promise<Result<Registered>> {
  const listing = listingOf(deps.digest, server, definitions)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = await storedOf(deps.shelves, server)
    const { changes, registered } = reconcile(server, listing, stored, deps.clock(), deps.ids.trace())
    const committed = changes.length === 0 ? 'committed' : await deps.ledger.commit(changes)
    if (committed === 'unavailable') break
    if (committed !== 'committed') continue
    await deps.catalogue.refresh(server)
    return ok(registered)
  }
  return refuse('audit.unavailable', { server })
}

type Listed = { readonly definition: ToolDefinition; readonly hash: string }
type Listing = { readonly tools: ReadonlyMap<string, Listed>; readonly unusable: readonly string[] }

function listingOf(digest: Digest, server: string, definitions: readonly ToolDefinition[]): Listing {
  const tools = new Map<string, Listed>()
  const unusable: string[] = []
  for (const definition of definitions) {
    const text = definitionText(definition)
    const tool_id = toolIdOf(server, definition.name, digest)
    // The first of two equal names stands: it is the one the gate shows, and the only one a person can admit.
    if (text === undefined || tools.has(tool_id)) unusable.push(definition.name)
    else tools.set(tool_id, { definition, hash: digest(text) })
  }
  return { tools, unusable }
}

type Fresh = { readonly server: string; readonly tool_id: string; readonly now: number; readonly first: boolean }
type Stored = {
  readonly server: Held<'servers'> | undefined
  readonly tools: ReadonlyMap<string, Held<'tools'>>
}

async function storedOf(shelves: Shelves, server: string): Promise<Stored> {
  const tools = new Map<string, Held<'tools'>>()
  let after: number | undefined
  for (;;) {
    const page = await shelves.list('tools', { server }, { limit: PAGE, ...(after === undefined ? {} : { after }) })
    for (const held of page) tools.set(held.row.tool_id, held)
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return { server: await shelves.row('servers', server), tools }
  }
}

function reconcile(server: string, listing: Listing, stored: Stored, now: number, trace: string) {
  const changes: Change[] = []
  const registered = {
    listed: [] as string[],
    changed: [] as string[],
    gone: [] as string[],
    unusable: listing.unusable,
  }
  const first = stored.server?.row.first_listed_at === undefined
  const write = (was: Held<'tools'> | undefined, to: ToolRow, what: 'listed' | 'changed' | 'gone') => {
    changes.push({ kind: 'swap', table: 'tools', id: to.tool_id, from: was?.version ?? 'absent', to })
    changes.push({ kind: 'audit', entry: entryFor(to, what, now, trace) })
    registered[what].push(to.tool_id)
  }
  if (first) changes.push(firstListing(server, stored.server, now))
  for (const [tool_id, listed] of listing.tools) {
    const was = stored.tools.get(tool_id)
    const changed = was !== undefined && was.row.definition_hash !== listed.hash
    if (was !== undefined && !changed && was.row.gone_at === undefined) continue
    write(was, listedRow(was?.row, { server, tool_id, now, first }, listed), changed ? 'changed' : 'listed')
  }
  for (const [tool_id, was] of stored.tools)
    if (!listing.tools.has(tool_id) && was.row.gone_at === undefined) write(was, { ...was.row, gone_at: now }, 'gone')
  return { changes, registered }
}

/** Two processes may both see a first listing; the version decides which of them admits. */
function firstListing(server: string, was: Held<'servers'> | undefined, now: number): Change {
  const row: ServerRow = { v: 1, server, added_at: was?.row.added_at ?? now, first_listed_at: now }
  return { kind: 'swap', table: 'servers', id: server, from: was?.version ?? 'absent', to: row }
}

/** INVARIANT: the only admission made here is the first listing's; any other is carried over as it was. */
function listedRow(was: ToolRow | undefined, fresh: Fresh, { definition, hash }: Listed): ToolRow {
  const { server, tool_id, now, first } = fresh
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

function entryFor(row: ToolRow, what: 'listed' | 'changed' | 'gone', now: number, trace: string): AuditDraft {
  return {
    at: now,
    type: `tool.${what}`,
    actor: `server:${row.server}`,
    trace,
    subject: { server: row.server, tool: row.tool_id },
    about: { definition_hash: row.definition_hash, admitted_hash: row.admitted?.hash ?? null },
  }
}
