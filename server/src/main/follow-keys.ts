import type { RotateDeps } from '../kernel/identity/rotate-keys.ts'
import type { Liveness } from '../kernel/ports/liveness.ts'
import type { Notices } from '../kernel/ports/notices.ts'
import { ok, refuse } from '../kernel/contract/problems.ts'
import type { LiveKeys } from './open-data-folder.ts'
import type { SharedKeys } from './shared-keys.ts'

export type FollowKeysDeps = {
  readonly keys: LiveKeys
  readonly shared: SharedKeys | undefined
  readonly notices: Pick<Notices, 'publish' | 'subscribe' | 'onMissed'>
  readonly liveness: Pick<Liveness, 'others'>
  readonly onFault: (code: string) => void
}

/** Tells the other nodes of changed keys and follows theirs. Without shared keys a node may rotate only while it is alone. */
export function followKeys({ keys, shared, notices, liveness, onFault }: FollowKeysDeps): RotateDeps['rotate'] {
  // One at a time: what is changed while this node reads is read once more.
  let reading: Promise<void> = Promise.resolve()
  const refresh = (): void => {
    reading = readAfter(reading)
  }
  const readAfter = async (earlier: Promise<void>): Promise<void> => {
    await earlier
    const refreshed = await keys.refresh()
    if (!refreshed.ok) onFault(refreshed.problem.code)
  }
  if (shared !== undefined) {
    shared.onChanged(() => notices.publish('keys', {}))
    notices.subscribe('keys', (_, origin) => {
      if (origin === 'elsewhere') refresh()
    })
    notices.onMissed(refresh)
    // They may have been changed since this node took them.
    refresh()
  }
  return {
    async mayRotate() {
      const others = shared === undefined ? await liveness.others?.() : undefined
      return others === undefined || others.length === 0
        ? ok(undefined)
        : refuse('key.not_shared', { nodes: String(others.length) })
    },
    ...keys.rotate,
  }
}
