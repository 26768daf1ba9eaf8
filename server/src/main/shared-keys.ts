import type { SharedKeyFile } from '../kernel/ports/shared-key-file.ts'
import type { MaybePromise } from '../kernel/ports/runtime.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import { MIN_KEY_BYTES } from '../adapters/keys/token-keys.ts'
import {
  hasSameKeys,
  isSameStore,
  keyringCipher,
  makeKeyFiles,
  noteVersion,
  readForStore,
  readKeyFiles,
  ensureCheckpointFile,
  seenVersion,
  writeKeyFiles,
  type KeyFiles,
  type KeyringCipher,
  type SharedFolder,
} from '../adapters/keys/shared-keys.ts'
import { withKeyring, type StoredKeyring, type StoreSettings } from '../adapters/stores/open-store.ts'
import { placesIn } from './data-folder.ts'

/** The keys of all nodes of a store, which are in the store, encrypted. */
export type SharedKeys = {
  /** At the start of a node: takes the keys from the store. The first node creates and stores them. */
  open(fresh: boolean): Promise<Result<void>>
  /** Takes newer keys from the store. True if there were any. */
  refresh(): Promise<Result<boolean>>
  /** Changes keys while no other node does, and stores them. If that fails, the keys are as before. */
  change<T>(work: () => MaybePromise<Result<T>>): Promise<Result<T>>
  /** Called when this node has changed keys. */
  onChanged(listener: () => void): void
}

/** Undefined if `store.key_secret` is not configured. See docs/decisions/shared-keys.md */
export function sharedKeys(store: StoreSettings, files: readonly SharedKeyFile[]): SharedKeys | undefined {
  const { key_secret } = store
  if (key_secret === undefined) return undefined
  const { keys: folder } = placesIn(store.folder)
  const place = { folder, files }
  const secret = Buffer.from(key_secret)
  if (secret.byteLength < MIN_KEY_BYTES) return refusing()
  const cipher = keyringCipher(secret)
  const listeners: (() => void)[] = []
  const locked = async <T>(work: (found: CurrentKeys) => MaybePromise<Result<WorkResult<T>>>): Promise<Result<T>> => {
    let version = 0
    const done = await withKeyring<T>(store, async (found) => {
      const current = updateKeyFiles(place, cipher, found)
      if (!current.ok) return current
      const result = await work(current.value)
      if (!result.ok) return result
      const { value, store: changed } = result.value
      if (!changed) return ok({ value })
      const files = readForStore(place)
      if (!files.ok) return files
      version = current.value.version + 1
      return ok({ value, store: { version, body: cipher.seal(files.value, version) } })
    })
    if (done?.ok !== true) return done ?? refuse('key.not_shared')
    const noted = version === 0 ? ok(undefined) : noteVersion(folder, version)
    return noted.ok ? done : noted
  }
  return {
    open: (fresh) =>
      locked(async ({ stored }) => {
        const made = await makeKeyFiles(place, fresh && stored === undefined, store.seal === undefined)
        if (!made.ok) return made
        const files = readKeyFiles(place)
        if (!files.ok) return files
        return ok({ value: undefined, store: !hasSameKeys(place, files.value, stored ?? {}) })
      }),
    refresh: () => locked(({ isNewer }) => ok({ value: isNewer, store: false })),
    async change(work) {
      const before = readKeyFiles(place)
      if (!before.ok) return before
      let kept = before.value
      const changed = await locked(async () => {
        const files = readKeyFiles(place)
        if (!files.ok) return files
        kept = files.value
        const done = await work()
        return done.ok ? ok({ value: done.value, store: true }) : done
      })
      if (changed.ok) {
        for (const listener of listeners) listener()
        return changed
      }
      const restored = writeKeyFiles(place, kept)
      return restored.ok ? changed : restored
    },
    onChanged: (listener) => void listeners.push(listener),
  }
}

type CurrentKeys = {
  /** What the store has now; this node's files are the same. */
  readonly stored: KeyFiles | undefined
  readonly version: number
  readonly isNewer: boolean
}
type WorkResult<T> = { readonly value: T; readonly store: boolean }

/** Brings the files of this node to what is stored. Nothing is written if the two do not belong together. */
function updateKeyFiles(
  place: SharedFolder,
  cipher: KeyringCipher,
  found: StoredKeyring | undefined,
): Result<CurrentKeys> {
  const { folder } = place
  const seen = seenVersion(folder)
  if (!seen.ok) return seen
  // A restored database has none: this node stores its own again.
  if (found === undefined) return ok({ stored: undefined, version: seen.value, isNewer: false })
  const { version } = found
  const stored = cipher.open(found.body, version)
  if (stored === undefined) return refuse('key.secret_wrong')
  if (version < seen.value) return refuse('key.older', { found: String(version), used: String(seen.value) })
  const own = readKeyFiles(place)
  if (!own.ok) return own
  if (!isSameStore(own.value, stored)) return refuse('key.differs', { folder })
  const written = writeKeyFiles(place, stored)
  if (!written.ok) return written
  const seeded = seen.value === 0 ? ensureCheckpointFile(folder, stored) : ok(undefined)
  if (!seeded.ok) return seeded
  const noted = version === seen.value ? ok(undefined) : noteVersion(folder, version)
  return noted.ok ? ok({ stored, version, isNewer: version > seen.value }) : noted
}

function refusing(): SharedKeys {
  const refused = async () => refuse('key.secret_wrong', { why: `shorter than ${MIN_KEY_BYTES} bytes, or not set` })
  return { open: refused, refresh: refused, change: refused, onChanged: () => {} }
}
