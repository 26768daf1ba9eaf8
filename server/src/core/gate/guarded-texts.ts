import type { Json } from '../../contract/json.ts'
import type { OwnCredentials } from './own-credentials/find-own.ts'
import { holdsOwn } from './own-credentials/redact-own.ts'
import { textLeaves } from './text-leaves.ts'
import { triggeredTraps, type TriggeredTrap, type Trap } from './traps/traps.ts'

/** Where the arguments contain what no call may carry: the gate's own credentials, and honey tokens. Never the text itself. */
export type GuardedTexts = {
  /** Keys and indexes from the root, one list per match. */
  readonly own: readonly (readonly string[])[]
  readonly sprung: readonly TriggeredTrap[]
}

export const NOTHING_GUARDED: GuardedTexts = { own: [], sprung: [] }

/** No credential is shorter. */
const SHORTEST = 12

export function findGuarded(args: Json, own: OwnCredentials, traps: readonly Trap[]): GuardedTexts {
  const leaves = textLeaves(args)
  return {
    own: leaves.filter(({ text }) => text.length >= SHORTEST && holdsOwn(text, own)).map(({ path }) => path),
    sprung: triggeredTraps(leaves, traps),
  }
}
