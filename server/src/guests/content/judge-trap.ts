import type { Call } from '../../kernel/contract/call.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import { inForce } from '../../kernel/contract/tool.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { Policy } from '../../kernel/policy/policy.ts'
import { isInside } from '../../kernel/text/is-inside.ts'
import { namePlaces, shownPointer } from '../../kernel/text/shown-pointer.ts'

/** A honey file, and its path with all links resolved. */
export type TrapFile = { readonly name: string; readonly path: string }
/** The paths of the honey files. Honey tokens are searched for with `guarded`. */
export type TrapFacts = { readonly files: readonly TrapFile[] | 'unknown' }

/**
 * No legitimate call contains a honey token or file: whoever uses one read what it should not have, or was told by somebody who
 * did.
 * INVARIANT: a triggered trap blocks, whatever else is true (law in judge-trap.test.ts); the command then quarantines the caller.
 */
export const judgeTrap = (_policy: Policy, _call: Call, facts: Facts): Opinion[] => judgeTrapFacts(facts)

type HoneyFacts = Pick<Facts, 'traps' | 'guarded' | 'files' | 'tool' | 'now'>

export function judgeTrapFacts(facts: HoneyFacts): Opinion[] {
  const { files } = facts.traps
  const { sprung: found } = facts.guarded
  if (found.length === 0 && files.length === 0) return []
  const schema = inForce(facts.tool.row).definition.inputSchema
  const sprung = [
    ...found.map(({ name, kind, path }) => ({ name, kind, at: shownPointer(path, schema) })),
    ...(files === 'unknown' ? [] : files.flatMap((file) => placesOf(file, facts))),
  ]
  const names = [...new Set(sprung.map(({ name }) => name))]
  const opinions = names.map((name): Opinion => {
    const same = sprung.filter((one) => one.name === name)
    const kind = same[0]?.kind ?? 'token'
    const says = `${namePlaces(same.map(({ at }) => at))} contains a honey ${kind}, which no legitimate call uses`
    return { decider: 'trap', effect: 'block', rule: `trap.${kind}`, says, source: name, at: facts.now }
  })
  return [...opinions, ...doubtsOf(facts)]
}

function placesOf({ name, path }: TrapFile, { files }: HoneyFacts) {
  const bait = path.toLowerCase()
  return files.args
    .filter(({ leads }) => leads !== 'unknown' && leads.some((lead) => isInside(bait, lead.toLowerCase())))
    .map(({ at }) => ({ name, kind: 'file' as const, at }))
}

/** If honey files are configured, a path that cannot be resolved may lead to one. */
function doubtsOf({ traps, files, now }: HoneyFacts): Opinion[] {
  if (traps.files.length === 0) return []
  const isDark = traps.files === 'unknown'
  const doubtful = files.args.filter(({ leads, fault }) => fault === undefined && (leads === 'unknown' || isDark))
  if (doubtful.length === 0) return []
  const says = `it could not be checked whether ${namePlaces(doubtful.map(({ at }) => at))} leads to a honey file`
  const opinion = {
    decider: 'trap',
    effect: 'ask',
    rule: 'trap.unknown',
    says,
    source: 'traps.files',
    at: now,
  } as const
  return [{ ...opinion, strength: 'strong' }]
}
