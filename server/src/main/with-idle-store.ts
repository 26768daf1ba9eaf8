import { refuse, type Result } from '../kernel/contract/problems.ts'
import { lockStore, storeState, type Store, type StoreSettings } from '../adapters/stores/open-store.ts'
import { openLiveKeys } from './open-data-folder.ts'
import { openSealedStore } from './open-sealed-store.ts'
import { offlineStream } from './store-of.ts'

type LiveKeys = Extract<ReturnType<typeof openLiveKeys>, { ok: true }>['value']

/**
 * Uses the store of a gate that does not run.
 * INVARIANT: the folder's lock is held. Opening migrates the folder of an older release, which must not happen under a running
 * gate of that release.
 */
export async function withIdleStore<T>(
  place: StoreSettings,
  use: (store: Store, keys: LiveKeys) => Promise<Result<T>>,
): Promise<Result<T>> {
  const state = await storeState(place)
  if (!state.ok) return state
  if (state.value === undefined) return refuse('gate.absent', { data: place.folder })
  const keys = openLiveKeys(place.folder, false)
  if (!keys.ok) return keys
  const lock = await lockStore(place)
  if (!lock.ok) return lock
  try {
    const opened = await openSealedStore({
      ...place,
      stream: offlineStream(place),
      onFault: () => {},
      onRejected: () => {},
    })
    if (!opened.ok) return opened
    try {
      return await use(opened.value, keys.value)
    } finally {
      await opened.value.close()
    }
  } finally {
    lock.value.release()
  }
}
