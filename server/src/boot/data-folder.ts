import { hash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { openKeys, rotateCheckpointKey, rotateTokenKey, type Keys } from '../keys/key-folder.ts'
import { storeState, type StoreSettings } from '../stores/open-store.ts'

/** The places inside a data folder. Where the store keeps its own files is known to the store. */
export function placesIn(folder: string) {
  return {
    keys: join(folder, 'keys'),
    /** The owner's admin key. */
    admin: join(folder, 'admin.key'),
    socket: join(folder, 'gate.sock'),
    log: join(folder, 'gate.log'),
    /** Embeddings of tools' texts, a file for each model. */
    vectors: join(folder, 'vectors'),
    /** What tool servers keep, each in a folder of its name. Beside the data folder, so that nobody works inside it. */
    servers: `${folder}-servers`,
  } as const
}

const IGNORED = '# Keys and the record of every call: never commit this folder.\n*\n'

/** Makes the folder, readable by its owner alone. */
export function makeDataFolder(folder: string): Result<void> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const ignored = join(folder, '.gitignore')
    if (!existsSync(ignored)) writeFileSync(ignored, IGNORED, { mode: 0o600 })
  } catch (error) {
    return refuse('data.unusable', { folder, why: error instanceof Error ? error.message : String(error) })
  }
  return ok(undefined)
}

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

/** SHA-256 of the bytes that hex digits write. */
export const digestBytes = (hex: string): string => hash('sha256', Buffer.from(hex, 'hex'), 'hex')
