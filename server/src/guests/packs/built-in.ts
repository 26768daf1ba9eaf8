import { CLIENTS } from './data/clients.ts'
import { CODE } from './data/code.ts'
import { SYSTEMS } from './data/systems.ts'
import { WORK } from './data/work.ts'
import { packOf } from './knowledge.ts'
import type { KnownPack } from './match-pack.ts'

/** The packs that come with the gate. */
export const BUILT_IN: readonly KnownPack[] = [...CODE, ...WORK, ...SYSTEMS, ...CLIENTS].map((knowledge) => ({
  pack: packOf(knowledge),
  source: 'built-in',
}))
