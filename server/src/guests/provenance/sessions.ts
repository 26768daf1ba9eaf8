import type { CallRow } from '../../kernel/contract/call.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { labelSession, partsOfSession, type LabelRow } from '../../kernel/sessions/label.ts'
import type { ToolProvenance } from './provenance.ts'
import { createSession, type TextOrigin, type Session } from './session.ts'
import { letOthersRun } from '../../kernel/audit/verify-audit-reads.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import type { Sessions, SessionsPorts } from '../../kernel/ports/sessions.ts'
import { inSteps } from '../../kernel/ports/in-steps.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'

declare module '../../kernel/ports/sessions.ts' {
  interface SessionState extends Session {}
}

/** How many sessions are kept in memory. Others are read again from the store when they continue. */
const MOST_SESSIONS = 200
const PAGE = 200
/** How many recorded calls of one session are kept in memory; others are read from the store. */
const MOST_RECORDED = 1_000
/** Characters per stored output. A longer one counts as unreadable. */
const MOST_TEXT = 4_194_304

type Kept = {
  readonly session: Session
  cursor: number
  /**
   * Calls that were recorded a moment ago: they need not be read from the store. A short list and not a map: a map that changes with
   * every call keeps ended calls in memory for longer.
   */
  readonly recorded: CallRow[]
  /** The read in progress. */
  reading?: Promise<void> | undefined
  /** The read that has not started yet, shared by all requests until it starts. */
  next?: Promise<Session> | undefined
}

const NOW = Promise.resolve()
const now = () => NOW
const newKept = (): Kept => ({ session: createSession(), cursor: 0, recorded: [] })

/**
 * What each session has read, rebuilt from the labels in the store: the same on every node, and after a restart. Labels are only
 * ever added, so continuing after the last one that was read misses nothing.
 */
export function openSessions(deps: SessionsPorts): Sessions {
  const kept = new Map<string, Kept>()
  let latest: { readonly key: string; readonly entry: Kept } | undefined

  function keep(key: string): Kept {
    if (latest?.key === key) return latest.entry
    const entry = kept.get(key) ?? newKept()
    kept.delete(key)
    kept.set(key, entry)
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_SESSIONS) break
      kept.delete(oldest)
    }
    latest = { key, entry }
    return entry
  }

  function drop(key: string, entry: Kept): void {
    if (kept.get(key) === entry) kept.delete(key)
    if (latest?.entry === entry) latest = undefined
  }

  async function begin(key: string, entry: Kept): Promise<void> {
    try {
      await readOn(deps, key, entry)
    } catch (cause) {
      // A label may have been read half-way: the session is read again from the beginning.
      drop(key, entry)
      throw cause
    } finally {
      entry.reading = undefined
    }
  }

  /**
   * Reads run one after the other, because two must not add the same label twice. All requests that arrive before a read starts share it:
   * it starts after they were made, so it contains everything that was recorded by then. `start`: when it may start, unless another read is
   * in progress.
   */
  function catchUp(key: string, start: () => Promise<void>): Session | Promise<Session> {
    const entry = keep(key)
    if (entry.next !== undefined) return entry.next
    if (entry.reading === undefined && isUpToDate(key, entry)) return entry.session
    const before = entry.reading === undefined ? start() : entry.reading.catch(() => undefined)
    entry.next = before.then(() => {
      entry.next = undefined
      return readNow(key)
    })
    return entry.next
  }

  const isUpToDate = (key: string, { cursor }: Kept) => deps.tables.known_rows?.isLastLabel(key, cursor) === true

  /** The entry may have been replaced: one whose read failed is dropped. */
  function readNow(key: string): Session | Promise<Session> {
    const entry = keep(key)
    if (entry.reading !== undefined) return catchUp(key, now)
    if (isUpToDate(key, entry)) return entry.session
    entry.reading = begin(key, entry)
    return entry.reading.then(() => entry.session)
  }

  return {
    read: (caller, thread) => catchUp(labelSession(caller, thread), now),
    note(caller, thread, call) {
      const key = labelSession(caller, thread)
      const { recorded } = keep(key)
      if (call !== undefined && recorded.length < MOST_RECORDED) {
        // A call that runs again is recorded again: only its last row counts.
        takeOut(recorded, call.call_id)
        recorded.push(call)
      }
      // After this turn of the event loop: the answer is sent first, and answers that are recorded together are read together.
      const read = catchUp(key, letOthersRun)
      if (read instanceof Promise) read.catch(() => undefined)
    },
    async readUntil(caller, thread, at) {
      const entry = newKept()
      await readOn(deps, labelSession(caller, thread), entry, at)
      return entry.session
    },
  }
}

async function readOn(deps: SessionsPorts, key: string, entry: Kept, until = Infinity): Promise<void> {
  for (;;) {
    const page = await deps.tables.list('labels', { session: key }, { limit: PAGE, after: entry.cursor })
    for (const { row, cursor } of page) {
      if (row.at >= until) return
      const adding = addLabel(deps, entry, row)
      if (adding instanceof Promise) await adding
      entry.cursor = cursor
    }
    if (page.length < PAGE) return
  }
}

function takeOut(recorded: CallRow[], id: string): CallRow | undefined {
  const at = recorded.findIndex(({ call_id }) => call_id === id)
  return at === -1 ? undefined : recorded.splice(at, 1)[0]
}

/** Without a promise for the answer of a call that was recorded a moment ago, which nearly every label is. */
function addLabel(deps: SessionsPorts, entry: Kept, label: LabelRow): MaybePromise<void> {
  const { session, recorded: calls } = entry
  const call = answeredCall(label)
  const recorded = call === undefined ? undefined : takeOut(calls, call)
  return recorded === undefined ? addStored(deps, session, label) : addAnswer(deps, session, label, recorded)
}

/** The call whose answer a label is. Undefined if it is something else. */
function answeredCall({ kind, text, source }: LabelRow): string | undefined {
  const isElsewhere = text !== undefined || source.artifact !== undefined || source.approval !== undefined
  return kind === 'words' || isElsewhere ? undefined : source.call
}

async function addStored(deps: SessionsPorts, session: Session, label: LabelRow): Promise<void> {
  if (label.kind === 'words') {
    if (label.text !== undefined) session.addWords(label.text, label.trust ?? 'claimed')
    return
  }
  const origin = originOf(deps, label)
  if (label.text !== undefined) return await inSteps(deps.yieldWhenDue, session.ingestText(origin, label.text))
  if (label.source.artifact !== undefined) {
    const text = await artifactText(deps, partsOfSession(label).user, label.source.artifact)
    return text === UNREADABLE ? session.lose() : await inSteps(deps.yieldWhenDue, session.ingestText(origin, text))
  }
  if (label.source.approval !== undefined) {
    const preview = (await deps.tables.row('approvals', label.source.approval))?.row.preview
    return preview === undefined ? session.lose() : await inSteps(deps.yieldWhenDue, session.ingest(origin, preview))
  }
  const call = answeredCall(label)
  const row = call === undefined ? undefined : (await deps.tables.row('calls', call))?.row
  return row === undefined ? session.lose() : await addAnswer(deps, session, label, row)
}

function addAnswer(deps: SessionsPorts, session: Session, label: LabelRow, row: CallRow): MaybePromise<void> {
  // Its content has been removed.
  if (row.expired_at !== undefined) return session.lose()
  // The actions and approvals of a call belong to its own session: when it is read in another one, only the answer enters.
  const isOwn = labelSession(row.caller, row.thread) === label.session
  const given = isOwn ? { tool: row.tool_id, args: JSON.parse(row.canonical_args) as Json } : undefined
  if (given !== undefined && wasApproved(row)) session.approve(given)
  const origin = originOf(deps, label)
  const digest = evictedOutput(row)
  if (digest === undefined)
    return inSteps(deps.yieldWhenDue, session.ingest(origin, row.result ?? { content: [] }, given))
  return artifactText(deps, row.caller.user, digest).then((text) =>
    text === UNREADABLE
      ? session.lose()
      : inSteps(deps.yieldWhenDue, session.ingest(origin, { content: [{ type: 'text', text }] }, given)),
  )
}

/** A held call starts only after a person's approval: its contents were seen. */
const wasApproved = ({ approval_id, started_at }: CallRow): boolean =>
  approval_id !== undefined && started_at !== undefined

/** The digest of an output that is in the artifact store. */
const evictedOutput = ({ output }: CallRow): string | undefined =>
  output?.evicted === true ? output.pointer?.replace('artifact://', '') : undefined

const UNREADABLE = Symbol('unreadable')

async function artifactText(
  { artifacts }: SessionsPorts,
  user: string,
  digest: string,
): Promise<string | typeof UNREADABLE> {
  const found = await artifacts.read(user, digest, 0, MOST_TEXT)
  return found === undefined || found === 'expired' || found.size > MOST_TEXT ? UNREADABLE : found.text
}

function originOf({ judgement }: SessionsPorts, { kind, source, at }: LabelRow): TextOrigin {
  const { outsiders, directory } = provenanceOf(judgement, source.server, source.name)
  return {
    kind,
    ...source,
    at,
    ...(outsiders === false ? { house: true } : {}),
    ...(directory === true ? { directory } : {}),
  }
}

/** The operator's settings for a tool, or for its server if there are none for the tool. `name` is the tool's id. */
export function provenanceOf(
  { servers }: Pick<Judgement, 'servers'>,
  server: string | undefined,
  name: string | undefined,
): Partial<ToolProvenance> {
  const settings = server !== undefined && Object.hasOwn(servers, server) ? servers[server] : undefined
  const tools = settings?.tools ?? {}
  const tool = server === undefined ? undefined : name?.slice(server.length + 2)
  const own = tool !== undefined && Object.hasOwn(tools, tool) ? tools[tool]?.provenance : undefined
  if (settings?.provenance === undefined && own === undefined) return NOTHING_SAID
  return { ...settings?.provenance, ...own, fields: { ...settings?.provenance?.fields, ...own?.fields } }
}

const NOTHING_SAID: Partial<ToolProvenance> = { fields: {} }
