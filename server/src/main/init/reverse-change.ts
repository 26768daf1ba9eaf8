import { editMembers } from '../../adapters/files/edit-json.ts'
import { plainJson } from '../../adapters/files/jsonc.ts'
import { gateIn } from './read-entry.ts'

/** A map of servers in a client's JSON file, and those that the gate replaced there. */
export type Replaced = { readonly at: readonly string[]; readonly removed: readonly string[] }

/** The text of a file without our hooks; undefined if that is not possible. */
export type WithoutHooks = (text: string, before: string) => string | undefined

/**
 * A JSON file that its client or its user has changed since, without our entry and our hooks, and with the servers that were
 * replaced; what was changed since stays. Undefined if that is not possible.
 */
export function reverseChange(
  text: string,
  before: string,
  replaced: readonly Replaced[],
  withoutHooks: WithoutHooks,
): string | undefined {
  let next: string | undefined = text
  for (const place of replaced) next = next === undefined ? undefined : withServers(next, before, place)
  return next === undefined ? undefined : withoutHooks(next, before)
}

function withServers(text: string, before: string, { at, removed }: Replaced): string | undefined {
  const [was, now] = [objectAt(before, at), objectAt(text, at)]
  if (was === undefined || now === undefined) return undefined
  const missing = removed.filter((name) => !Object.hasOwn(now, name))
  // Already restored by an undo that was killed, or removed by the user.
  if (!Object.hasOwn(now, 'sluice')) return missing.length === 0 ? text : undefined
  if (!removed.includes('sluice') && gateIn(now['sluice']) === undefined) return undefined
  const back = [...missing, ...(Object.hasOwn(was, 'sluice') ? ['sluice'] : [])]
  // The user has put them back already: one of them is written again.
  const [first = removed[0] ?? '', ...others] = back
  const value = back.length === 0 ? now[first] : was[first]
  let next = editMembers(text, { at, remove: ['sluice'], add: { name: first, value } })
  for (const name of others)
    next = next === undefined ? undefined : editMembers(next, { at, remove: [], add: { name, value: was[name] } })
  return next
}

function objectAt(text: string, at: readonly string[]): Readonly<Record<string, unknown>> | undefined {
  try {
    let value: unknown = JSON.parse(plainJson(text))
    for (const key of at) value = (value as Record<string, unknown>)[key]
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
