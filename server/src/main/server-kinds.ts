import { OWN_SERVER_KINDS } from '../adapters/upstream/open-tool-servers.ts'
import type { ServerKind } from '../adapters/upstream/server-kind.ts'
import { GUESTS } from './guests.ts'

/** Every way to reach a tool server in this build. */
export const SERVER_KINDS: readonly ServerKind[] = [
  ...OWN_SERVER_KINDS,
  ...(
    await Promise.all(GUESTS.flatMap(({ serverKinds }) => (serverKinds === undefined ? [] : [serverKinds()])))
  ).flat(),
]
