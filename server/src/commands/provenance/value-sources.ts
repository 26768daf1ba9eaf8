import type { Call } from '../../contract/call.ts'
import type { Tool } from '../../contract/tool.ts'
import type { ValueSource } from '../../contract/value-source.ts'
import type { Facts } from '../../core/gate/facts.ts'
import { judgedProvenance, originLabel } from '../../core/gate/judge-provenance.ts'
import { leavesOf } from '../../core/provenance/leaves.ts'
import type { Origin, Session } from '../../core/provenance/session.ts'
import type { Value } from '../../core/provenance/values.ts'
import type { Shelves } from '../ports/reads.ts'

export type SourceDeps = { readonly shelves: Pick<Shelves, 'row'> }

const MOST_SOURCES = 50
/** Characters of a text that are shown around a value. */
const AROUND = 80

/** Where the values of a call come from, for the person who is asked: by pointers, with a piece of the text around each. */
export async function valueSources(
  deps: SourceDeps,
  { provenance }: Pick<Facts, 'provenance'>,
  call: Pick<Call, 'tool_id' | 'canonical_args'>,
  tool: Tool,
): Promise<ValueSource[]> {
  if (typeof provenance === 'string') return []
  const { values } = judgedProvenance(provenance, call, tool)
  const sources: ValueSource[] = []
  for (const value of values.slice(0, MOST_SOURCES)) {
    const source = await sourceOf(deps, provenance.session, value)
    if (source !== undefined) sources.push(source)
  }
  return sources
}

export async function sourceOf(deps: SourceDeps, session: Session, value: Value): Promise<ValueSource | undefined> {
  const at = value.path
  if (value.from === 'user') return { at, kind: 'user', label: "the user's own words" }
  if (value.from === 'approved') return { at, kind: 'approved', label: 'approved before in this session' }
  if (value.leaf === undefined) return undefined
  const number = session.leaves.origin(value.leaf)
  const origin = session.origins[number]
  if (origin === undefined) return undefined
  const place = await placeOf(deps, session, origin, number, value)
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

/** The field of the stored answer. What was put aside or removed since is named by its call alone. */
async function placeOf(
  { shelves }: SourceDeps,
  session: Session,
  origin: Origin,
  number: number,
  { leaf = 0, text }: Value,
) {
  const held = origin.call === undefined ? undefined : await shelves.row('calls', origin.call)
  if (held?.row.result === undefined || held.row.output?.evicted === true) return undefined
  const found = leavesOf(held.row.result)[leaf - session.leaves.firstOf(number, leaf)]
  if (found === undefined) return undefined
  const middle = Math.max(0, found.text.toLowerCase().indexOf(text.toLowerCase()))
  return { path: found.path, excerpt: found.text.slice(Math.max(0, middle - AROUND), middle + text.length + AROUND) }
}
