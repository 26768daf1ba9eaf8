import type { Call } from '../../contract/call.ts'
import type { Opinion } from '../../contract/verdict.ts'
import type { Facts } from './facts.ts'
import type { Policy } from './policy/policy.ts'
import type { FileFact, FilesFact } from './sandbox/files-fact.ts'
import { isInside } from './sandbox/is-inside.ts'
import { sensitiveName } from './sandbox/sensitive-names.ts'
import { namePlaces } from './shown-pointer.ts'

type Finding = { readonly effect: 'ask' | 'block'; readonly rule: string; readonly says: string }

const FAULTS = {
  control_character: 'holds a control character',
  network: 'names a file on another machine',
  drive: 'names a drive',
  encoded: 'holds encoded dots or slashes',
  home: "names another user's home",
  variable: 'begins with a variable',
  dots: 'holds a name of dots and spaces',
  url: "is not a file's plain address",
} as const

/**
 * File arguments lead inside the allowed roots, with every link followed and in every way a tool may read them. Silent when
 * they do, and for servers without a sandbox: there the operator has drawn no line.
 * INVARIANT: what cannot be resolved is asked about, never let through (law in judge-sandbox.test.ts).
 */
export function judgeSandbox(_policy: Policy, _call: Call, facts: Facts): Opinion[] {
  const { sandbox, args } = facts.files
  if (sandbox === 'none') return []
  const found = args.flatMap((arg) => findingsOn(arg, sandbox).map((finding) => ({ ...finding, at: arg.at })))
  const rules = [...new Set(found.map(({ rule, says }) => `${rule} ${says}`))]
  return rules.flatMap((key) => {
    const same = found.filter(({ rule, says }) => `${rule} ${says}` === key)
    const [first] = same
    if (first === undefined) return []
    const says = `${namePlaces(same.map(({ at }) => at))} ${first.says}`
    const opinion = { decider: 'sandbox', effect: first.effect, rule: first.rule, says, source: SOURCE, at: facts.now }
    return [first.effect === 'ask' ? { ...opinion, strength: 'strong' as const } : opinion]
  })
}

const SOURCE = 'sandbox of the server'

function findingsOn(arg: FileFact, sandbox: Exclude<FilesFact['sandbox'], 'none'>): Finding[] {
  if (arg.fault !== undefined) return [{ effect: 'block', rule: `sandbox.${arg.fault}`, says: FAULTS[arg.fault] }]
  const roots = sandbox === 'remote' || sandbox.roots === 'unknown' ? [] : sandbox.roots
  return [...placeOf(arg, sandbox), ...sensitivityOf(arg, roots)]
}

function placeOf({ leads }: FileFact, sandbox: Exclude<FilesFact['sandbox'], 'none'>): Finding[] {
  if (sandbox === 'remote')
    return [{ effect: 'ask', rule: 'sandbox.remote', says: 'names a file on a server whose files the gate cannot see' }]
  const { roots } = sandbox
  if (leads === 'unknown' || roots === 'unknown')
    return [{ effect: 'ask', rule: 'sandbox.unknown', says: 'names a file, and where it leads could not be found out' }]
  const isOut = leads.some((path) => !roots.some((root) => isInside(root, path)))
  return isOut ? [{ effect: 'block', rule: 'sandbox.outside', says: 'leads outside the allowed folders' }] : []
}

/** The names of a root are the operator's own choice; only what stands below one can be a surprise. */
function sensitivityOf({ readings, leads }: FileFact, roots: readonly string[]): Finding[] {
  const paths = leads === 'unknown' ? readings : [...readings, ...leads]
  const below = paths.map((path) => path.slice(roots.findLast((root) => isInside(root, path))?.length ?? 0))
  const kind = below.map(sensitiveName).find((found) => found !== undefined)
  return kind === undefined ? [] : [{ effect: 'ask', rule: 'sandbox.sensitive', says: `names ${kind}` }]
}
