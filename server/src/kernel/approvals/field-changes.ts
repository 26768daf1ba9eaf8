import { isJsonObject, type Json } from '../contract/json.ts'
import type { FieldChange } from './packet-parts.ts'
import { valueText } from '../contract/value-text.ts'
import { numberedText } from '../contract/visible-text.ts'
import { childrenOf } from '../text/text-leaves.ts'
import { pointerOf } from '../text/argument-roles.ts'

/** Nobody reads more than this; the packet also shows the arguments themselves. */
const MOST_CHANGES = 500

/** Every place where two JSON values differ, in the order of the newer one. Not recursive. */
export function fieldChanges(before: Json | undefined, after: Json | undefined): readonly FieldChange[] {
  const changes: FieldChange[] = []
  type Pair = { readonly before: Json | undefined; readonly after: Json | undefined; readonly path: readonly string[] }
  const open: Pair[] = [{ before, after, path: [] }]
  for (let next = open.pop(); next !== undefined && changes.length < MOST_CHANGES; next = open.pop()) {
    const { before: old, after: now, path } = next
    if (isSame(old, now)) continue
    if (old === undefined || now === undefined || !isPair(old, now)) {
      changes.push({ at: pointerOf(path), ...side('before', old), ...side('after', now) })
      continue
    }
    const [olds, news] = [new Map(childrenOf(old)), new Map(childrenOf(now))]
    const keys = [...new Set([...news.keys(), ...olds.keys()])]
    for (const key of keys.toReversed())
      open.push({ before: olds.get(key), after: news.get(key), path: [...path, key] })
  }
  return changes
}

const isPair = (old: Json, now: Json): boolean =>
  (isJsonObject(old) && isJsonObject(now)) || (Array.isArray(old) && Array.isArray(now))

const isSame = (old: Json | undefined, now: Json | undefined): boolean =>
  old === now || (typeof old === 'object' && typeof now === 'object' && JSON.stringify(old) === JSON.stringify(now))

const side = (name: 'before' | 'after', value: Json | undefined): Partial<FieldChange> =>
  value === undefined ? {} : { [name]: numberedText(valueText(value)) }
