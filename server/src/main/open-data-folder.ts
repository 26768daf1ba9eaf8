import { ok, type Result } from '../kernel/contract/problems.ts'
import { openKeys, rotateCheckpointKey, rotateTokenKey, type Keys } from '../adapters/keys/key-folder.ts'
import { storeState, type StoreSettings } from '../adapters/stores/open-store.ts'
import { makeDataFolder, placesIn } from './data-folder.ts'
import { sharedKeyFiles } from './guest-parts.ts'
import { sharedKeys, type SharedKeys } from './shared-keys.ts'

/** Fresh means that nothing was ever stored there. */
export async function openDataFolder(store: StoreSettings): Promise<Result<{ readonly fresh: boolean }>> {
  const made = makeDataFolder(store.folder)
  if (!made.ok) return made
  const state = await storeState(store)
  if (!state.ok) return state
  const fresh = state.value === undefined
  const shared = await sharedKeys(store, sharedKeyFiles())?.open(fresh)
  return shared?.ok === false ? shared : ok({ fresh })
}

export type LiveKeys = Keys & {
  readonly rotate: { readonly token: () => Promise<Result<void>>; readonly checkpoint: () => Promise<Result<string>> }
  /** Uses what another node has changed. */
  refresh(): Promise<Result<void>>
}

/** The folder's keys, which a rotation replaces while the gate runs. */
export function openLiveKeys(folder: string, fresh: boolean, shared?: SharedKeys): Result<LiveKeys> {
  const source = { folder: placesIn(folder).keys, fresh, env: process.env }
  const opened = openKeys(source)
  if (!opened.ok) return opened
  let keys = opened.value
  const reload = <T>(rotated: Result<T>): Result<T> => {
    const again = rotated.ok ? openKeys({ ...source, fresh: false }) : rotated
    if (again.ok && rotated.ok) keys = again.value
    return again.ok ? rotated : again
  }
  const change = async <T>(work: () => Result<T>): Promise<Result<T>> => shared?.change(work) ?? work()
  return ok({
    tokens: {
      mint: (claims, now) => keys.tokens.mint(claims, now),
      isGenuine: (token, claims) => keys.tokens.isGenuine(token, claims),
    },
    checkpoints: {
      sign: (text) => keys.checkpoints.sign(text),
      isGenuine: (text, key, signature) => keys.checkpoints.isGenuine(text, key, signature),
      publicKey: (key) => keys.checkpoints.publicKey(key),
      publicKeys: () => keys.checkpoints.publicKeys(),
    },
    derived: (purpose) => keys.derived(purpose),
    rotate: {
      token: async () => reload(await change(() => rotateTokenKey(source.folder))),
      checkpoint: async () => reload(await change(() => rotateCheckpointKey(source.folder))),
    },
    async refresh() {
      const refreshed = (await shared?.refresh()) ?? ok(false)
      return refreshed.ok ? reload(ok(undefined)) : refreshed
    },
  })
}
