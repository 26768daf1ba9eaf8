import { isJsonObject, type Json } from '../../src/kernel/contract/json.ts'
import type { Opinion } from '../../src/kernel/contract/verdict.ts'
import type { Change, Committed, Ledger, CommitResults } from '../../src/kernel/ports/ledger.ts'

/** What is said about a commit instead of storing it: nothing listens at that moment, or something that was added to it is lost. */
export type Instead = 'unavailable' | { readonly lost: number }

export type Recorder = {
  readonly around: (ledger: Ledger & CommitResults) => Ledger & CommitResults
  /** Writes rows as somebody with the database file would, or as another node does. Not part of the transcript. */
  readonly forge: (changes: readonly Change[]) => Promise<Committed>
  /** Called before each commit that is part of the transcript, with its position from now on. */
  readonly before: (act: (at: number) => Promise<Instead | undefined> | undefined) => void
  readonly begin: () => void
  /** The commits since `begin`, with names for everything that differs from run to run. */
  readonly lines: (folder: string, more?: readonly string[]) => string
  /** The newest version of every row that this gate wrote. */
  readonly row: (table: string, id: string) => { readonly version: number; readonly row: Json }
}

const OWN_TABLES = new Set(['calls', 'approvals', 'consents', 'labels', 'credentials'])
/** The driver's own bookkeeping and the gate's background work are not part of the corridor. */
const isOfCorridor = (changes: readonly Change[]) =>
  changes.some(
    (change) =>
      (change.kind === 'audit' && /^(call|approval|consent|security)\./.test(change.entry.type)) ||
      (change.kind === 'swap' && OWN_TABLES.has(change.table)),
  )

export function recorder(): Recorder {
  const commits: { changes: readonly Change[]; committed: Committed }[] = []
  const stored = new Map<string, { readonly version: number; readonly row: Json }>()
  const told = new Map<string, Json>()
  let inner: Ledger | undefined
  let act: Parameters<Recorder['before']>[0] = () => undefined
  let at = 0
  const note = (changes: readonly Change[]) => {
    for (const change of changes)
      if (change.kind === 'swap')
        stored.set(`${change.table} ${change.id}`, {
          version: change.from === 'absent' ? 1 : change.from + 1,
          row: JSON.parse(JSON.stringify(change.to)) as Json,
        })
  }
  return {
    row(table, id) {
      const found = stored.get(`${table} ${id}`)
      if (found === undefined) throw new Error(`nobody wrote ${table} ${id}`)
      return found
    },
    around: (ledger) => {
      inner = ledger
      return {
        resultOf: (id) => ledger.resultOf(id),
        async commit(changes) {
          if (!isOfCorridor(changes)) {
            const committed = await ledger.commit(changes)
            if (committed === 'committed') note(changes)
            return committed
          }
          at += 1
          const instead = await act(at)
          const committed = instead ?? (await ledger.commit(changes))
          if (committed === 'committed') note(changes)
          commits.push({ changes: structuredClone(changes), committed })
          return committed
        },
      }
    },
    async forge(changes) {
      if (inner === undefined) throw new Error('no gate is open')
      const committed = await inner.commit(changes)
      if (committed === 'committed') note(changes)
      return committed
    },
    before: (given) => {
      at = 0
      act = given
    },
    begin() {
      commits.length = 0
      at = 0
      act = () => undefined
    },
    lines(folder, more = []) {
      const lines = commits.flatMap(({ changes, committed }) => [
        `commit: ${saysCommitted(changes, committed)}`,
        ...changes.flatMap((change) => sayChange(change, told)).map((line) => `  ${line}`),
      ])
      return namesFor(folder)([...lines, ...more].join('\n'))
    },
  }
}

function saysCommitted(changes: readonly Change[], committed: Committed): string {
  if (typeof committed === 'string') return committed
  if ('in_doubt' in committed) return 'in doubt'
  const lost = changes[committed.lost]
  return `lost to ${lost === undefined ? 'what was added to it' : nameOf(lost)}`
}

function nameOf(change: Change): string {
  if ('table' in change) return `${change.kind} ${change.table}`
  if (change.kind === 'once') return `once ${change.key}`
  return 'account' in change ? `${change.kind} ${change.account}` : change.kind
}

function sayChange(change: Change, rows: Map<string, Json>): readonly string[] {
  switch (change.kind) {
    case 'swap': {
      const key = `${change.table} ${change.id}`
      const to = JSON.parse(JSON.stringify(change.to)) as Json
      const before = rows.get(key)
      rows.set(key, to)
      return [`${key}: ${differences(before, to)}`]
    }
    case 'expect':
      return [`expect ${change.table} ${change.id} at ${change.version === 'absent' ? 'absent' : 'its version'}`]
    case 'spend':
      return [
        `spend ${change.units} of ${change.account}${change.least === undefined ? '' : ` leaving ${change.least}`}`,
      ]
    case 'audit':
      return [`audit ${ordered(change.entry)}`]
    case 'event':
      return [`event ${ordered(change.event)}`]
    default:
      return [nameOf(change)]
  }
}

/** Two commits may fall into one millisecond, so one time is as good as another. */
const untimed = (value: unknown): string => ordered(value ?? null).replaceAll(TIMES, 'TIME')
const TIMES = /\b1[6-9]\d{11}\b/g

/** The fields of a row that are new or other than in its version before. */
function differences(before: Json | undefined, to: Json): string {
  if (!isJsonObject(to)) return ordered(to)
  const old = before !== undefined && isJsonObject(before) ? before : {}
  const changed = Object.entries(to).filter(([name, value]) => untimed(old[name]) !== untimed(value))
  const gone = Object.keys(old).filter((name) => !(name in to))
  return [ordered(Object.fromEntries(changed)), ...gone.map((name) => `without ${name}`)].join(', ')
}

/** An opinion is written out in the outcome; here it is named. */
const isOpinion = (part: unknown): part is Opinion =>
  typeof part === 'object' && part !== null && 'decider' in part && 'says' in part

/** With sorted fields: the order of a row's fields is not part of what is compared. */
const ordered = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    isOpinion(part)
      ? `${part.decider}: ${part.effect} by ${part.rule}${part.strength === undefined ? '' : `, ${part.strength}`}`
      : typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : part,
  )

const VARYING: readonly (readonly [string, RegExp])[] = [
  ['$1', /\b(call|auth|run|cons|key|label)_[0-9a-f]{16,24}\b/],
  ['hash', /\b[0-9a-f]{64}\b/],
  ['trace', /\b[0-9a-f]{32}\b/],
  ['process', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/],
  ['idle', /\bidle:\w+/],
]

/** Names every id and hash by its first appearance, and every time as a time. */
function namesFor(folder: string): (text: string) => string {
  return (text) => {
    const names = new Map<string, string>()
    const counts = new Map<string, number>()
    const all = new RegExp(VARYING.map(([, pattern]) => `(?:${pattern.source})`).join('|'), 'g')
    const named = text.replaceAll(folder, 'FOLDER').replaceAll(all, (found) => {
      const known = names.get(found)
      if (known !== undefined) return known
      const kind = /^[a-z]+(?=_)/.exec(found)?.[0] ?? VARYING.find(([, one]) => one.test(found))?.[0] ?? 'name'
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      names.set(found, `${kind}#${count}`)
      return `${kind}#${count}`
    })
    return named
      .replaceAll(TIMES, 'TIME')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/"boot":"[0-9a-f]{16}"/g, '"boot":"BOOT"')
      .replaceAll(/"ended_day":"\d+"/g, '"ended_day":"DAY"')
      .replaceAll(/\b\d{4}-\d\d-\d\d\b/g, 'DAY')
  }
}
