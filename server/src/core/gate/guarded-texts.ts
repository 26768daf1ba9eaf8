import type { Json } from '../../contract/json.ts'
import type { OwnCredentials } from './own-credentials/find-own.ts'
import { holdsOwn } from './own-credentials/strike-own.ts'
import { textLeaves } from './text-leaves.ts'
import { sprungTraps, type Sprung, type Trap } from './traps/traps.ts'

/** What no call may carry, and where it stands in the arguments: the gate's own credentials, and bait. Never the text itself. */
export type GuardedTexts = {
  /** Keys and indexes from the root, one list for each text. */
  readonly own: readonly (readonly string[])[]
  readonly sprung: readonly Sprung[]
}

export const NOTHING_GUARDED: GuardedTexts = { own: [], sprung: [] }

/** Nothing shorter is a credential. */
const SHORTEST = 12

export function findGuarded(args: Json, own: OwnCredentials, traps: readonly Trap[]): GuardedTexts {
  const leaves = textLeaves(args)
  return {
    own: leaves.filter(({ text }) => text.length >= SHORTEST && holdsOwn(text, own)).map(({ path }) => path),
    sprung: sprungTraps(leaves, traps),
  }
}
