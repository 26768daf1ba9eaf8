import { ok, type Result } from '../contract/problems.ts'
import { openKeys, rotateCheckpointKey, rotateTokenKey, type Keys } from '../keys/key-folder.ts'
import { storeState, type StoreSettings } from '../stores/open-store.ts'
import { makeDataFolder, placesIn } from './data-folder.ts'

/** Fresh means that nothing was ever stored there. */
export async function openDataFolder(store: StoreSettings): Promise<Result<{ readonly fresh: boolean }>> {
  const made = makeDataFolder(store.folder)
  if (!made.ok) return made
  const state = await storeState(store)
  return state.ok ? ok({ fresh: state.value === undefined }) : state
}

export type LiveKeys = Keys & {
  readonly rotate: { readonly token: () => Result<void>; readonly checkpoint: () => Result<string> }
}

/** The folder's keys, which a rotation replaces while the gate runs. */
export function openLiveKeys(folder: string, fresh: boolean): Result<LiveKeys> {
  const source = { folder: placesIn(folder).keys, fresh, env: process.env }
  const opened = openKeys(source)
  if (!opened.ok) return opened
  let keys = opened.value
  const reload = <T>(rotated: Result<T>): Result<T> => {
    const again = rotated.ok ? openKeys({ ...source, fresh: false }) : rotated
    if (again.ok && rotated.ok) keys = again.value
    return again.ok ? rotated : again
  }
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
    rotate: {
      token: () => reload(rotateTokenKey(source.folder)),
      checkpoint: () => reload(rotateCheckpointKey(source.folder)),
    },
  })
}
