import type { ValueSource } from '../../kernel/sessions/value-source.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import { originLabel } from './judge-provenance.ts'
import { leavesOf, type Leaf } from './leaves.ts'
import type { TextOrigin, Session } from './session.ts'
import type { ArgumentValue } from './values.ts'
import type { Tables } from '../../kernel/ports/reads.ts'

export type SourcePorts = { readonly tables: Pick<Tables, 'row'> }

const MOST_SOURCES = 50
/** How many characters of text are shown around a value. */
const AROUND = 80

/** Where the values of a call come from, for the approver: by pointers, with some text around each. */
export async function valueSources(
  deps: SourcePorts,
  { provenance }: Pick<Facts, 'provenance'>,
): Promise<ValueSource[]> {
  if (typeof provenance === 'string') return []
  const { values, reasons } = provenance.judgement
  // Values that caused an ask come first: the others may be left out.
  const asked = new Set(reasons.map(({ value_at }) => value_at))
  const first = [...values.filter(({ path }) => asked.has(path)), ...values.filter(({ path }) => !asked.has(path))]
  const sources: ValueSource[] = []
  const answers: ReplyLeaves = new Map()
  for (const value of first.slice(0, MOST_SOURCES)) {
    const source = await sourceOf(deps, provenance.session, value, answers)
    if (source !== undefined) sources.push(source)
  }
  return sources
}

/** The leaves of the answers that were read: several values often come from one. */
export type ReplyLeaves = Map<string, readonly Leaf[] | undefined>

export async function sourceOf(
  deps: SourcePorts,
  session: Session,
  value: ArgumentValue,
  answers: ReplyLeaves,
): Promise<ValueSource | undefined> {
  const at = value.path
  if (value.from === 'user') return { at, kind: 'user', label: "the user's own words" }
  if (value.from === 'approved') return { at, kind: 'approved', label: 'approved before in this session' }
  if (value.leaf === undefined) return undefined
  const number = session.leaves.origin(value.leaf)
  const origin = session.origins[number]
  if (origin === undefined) return undefined
  const place = placeIn(await leavesFrom(deps, origin, answers), session.leaves.firstOf(number, value.leaf), value)
  return {
    at,
    kind: origin.house === true ? 'tool' : 'outside',
    label: originLabel(origin),
    time: origin.at,
    ...(origin.call === undefined
      ? {}
      : { where: { call_id: origin.call, ...(place === undefined ? {} : { path: place.path }) } }),
    ...(place === undefined ? {} : { excerpt: place.excerpt }),
  }
}

/** The fields of the stored answer. If it was evicted or deleted since, only its call is named. */
async function leavesFrom({ tables }: SourcePorts, { call }: TextOrigin, answers: ReplyLeaves) {
  if (call === undefined) return undefined
  if (answers.has(call)) return answers.get(call)
  const held = await tables.row('calls', call)
  const result = held?.row.output?.evicted === true ? undefined : held?.row.result
  const leaves = result === undefined ? undefined : leavesOf(result)
  answers.set(call, leaves)
  return leaves
}

function placeIn(leaves: readonly Leaf[] | undefined, first: number, { leaf = 0, text }: ArgumentValue) {
  const found = leaves?.[leaf - first]
  if (found === undefined) return undefined
  const middle = Math.max(0, found.text.toLowerCase().indexOf(text.toLowerCase()))
  return { path: found.path, excerpt: found.text.slice(Math.max(0, middle - AROUND), middle + text.length + AROUND) }
}
