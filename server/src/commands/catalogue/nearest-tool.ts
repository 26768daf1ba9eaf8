import { nearest } from '../../contract/nearest.ts'
import type { Tool } from '../../contract/tool.ts'

const SEPARATORS = /[^a-z0-9]+/g
const plain = (id: string) => id.toLowerCase().replaceAll(SEPARATORS, '_')
/** Comparing letter by letter is slow, so a gate with thousands of tools compares only ids of about the same length. */
const MOST_COMPARED = 100
const LONGEST_ID = 128

/** Without its server. */
const nameIn = (id: string) => id.slice(id.indexOf('__') + 2)

/** The tool that a mistyped id most likely means: other separators, a missing server, or a few wrong letters. */
export function nearestTool(wanted: string, tools: readonly Tool[]): string | undefined {
  if (wanted.length > LONGEST_ID) return undefined
  const ids = tools.flatMap(({ row }) => (row.gone_at === undefined ? [row.tool_id] : []))
  const word = plain(wanted)
  const alike = [(id: string) => plain(id) === word, (id: string) => plain(nameIn(id)) === word]
  for (const isAlike of alike) {
    const same = ids.filter(isAlike)
    if (same.length > 0) return same.length === 1 ? same[0] : undefined
  }
  const slack = Math.ceil(wanted.length / 3)
  const near = ids.filter((id) => Math.abs(id.length - wanted.length) <= slack)
  const whole = nearest(wanted, near.slice(0, MOST_COMPARED))
  if (whole !== undefined || wanted.includes('__')) return whole
  const names = new Map(ids.slice(0, MOST_COMPARED).map((id) => [nameIn(id), id]))
  const name = nearest(wanted, [...names.keys()])
  return name === undefined ? undefined : names.get(name)
}
