import type { Call } from '../contract/call.ts'
import { foldedName } from '../contract/folded-name.ts'
import { isJsonObject, type Json } from '../contract/json.ts'
import type { Opinion } from '../contract/verdict.ts'
import { quoted } from '../contract/visible-text.ts'
import { argsOf } from '../attempt/call-args.ts'
import type { Facts } from './facts.ts'
import type { Policy } from '../policy/policy.ts'

/** Two names of one object that many servers take for one, and whether they are arguments or in one. */
type Twins = { readonly names: readonly [string, string]; readonly inside: boolean }

/**
 * Two fields whose names differ only in letter case or encoding. Rules, routes and capabilities read one of them, and a server may read the
 * other. The tool's own arguments are never named like that; what is inside of one may be a free map, such as variables, so a person decides.
 */
export function judgeNames(_policy: Policy, call: Call, facts: Facts): Opinion[] {
  const found = twinsIn(argsOf(call))
  if (found === undefined) return []
  const [one, other] = found.names
  const says = `the fields ${quoted(one)} and ${quoted(other)} have the same name, except for letter case or encoding: a server may read either`
  const opinion = { decider: 'names', rule: 'names.same', says, source: 'names', at: facts.now }
  return [found.inside ? { ...opinion, effect: 'ask', strength: 'simple' } : { ...opinion, effect: 'block' }]
}

/** Not recursive, because a caller controls how deep the arguments are nested. */
function twinsIn(args: Json): Twins | undefined {
  const open: Json[] = [args]
  let nested: Twins | undefined
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (isJsonObject(value)) {
      const names = twinNames(Object.keys(value))
      if (names !== undefined && value === args) return { names, inside: false }
      nested ??= names && { names, inside: true }
    }
    if (typeof value === 'object' && value !== null)
      for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) open.push(member)
  }
  return nested
}

function twinNames(names: readonly string[]): readonly [string, string] | undefined {
  if (names.length < 2) return undefined
  const seen = new Map<string, string>()
  for (const name of names) {
    const folded = foldedName(name)
    const twin = seen.get(folded)
    if (twin !== undefined) return [twin, name]
    seen.set(folded, name)
  }
  return undefined
}
