import { rmSync, writeFileSync } from 'node:fs'
import { latestTime } from '../kernel/clock/latest-time.ts'
import { createCredential, listCredentials, revokeCredential, type KeyRing } from '../kernel/identity/credentials.ts'
import { LOCAL_OWNER } from '../kernel/contract/caller.ts'
import { Bug, ok, type Result } from '../kernel/contract/problems.ts'
import { newApiKey } from '../adapters/keys/api-keys.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { openPasskeys } from '../adapters/keys/passkeys.ts'
import { scryptPassphrases } from '../adapters/keys/passphrases.ts'
import { lockStore, type Store, type StoreSettings } from '../adapters/stores/open-store.ts'
import { placesIn } from './data-folder.ts'
import { openDataFolder, openLiveKeys } from './open-data-folder.ts'
import { tableEntries } from './guest-parts.ts'
import { openSealedStore } from './open-sealed-store.ts'
import { randomIds } from './random-ids.ts'
import { offlineStream } from './store-of.ts'

/** The credentials of a data folder without a running gate, for its owner. */
export async function withCredentials<T>(
  place: StoreSettings,
  use: (ring: KeyRing) => Promise<Result<T>>,
): Promise<Result<T>> {
  const folder = await openDataFolder(place)
  if (!folder.ok) return folder
  const lock = await lockStore(place)
  if (!lock.ok) return lock
  try {
    // The signing keys belong to the ledger: a folder with only one of them has lost the other.
    const keys = openLiveKeys(place.folder, folder.value.fresh)
    if (!keys.ok) return keys
    const store = await openSealedStore({
      ...place,
      stream: offlineStream(place),
      onFault: () => {},
      onRejected: () => {},
    })
    if (!store.ok) return store
    const used = await use(await ringOf(store.value))
    await store.value.close()
    return used
  } finally {
    lock.value.release()
  }
}

/** The credentials in a store that this process has open. */
export async function ringOf(store: Pick<Store, 'tables' | 'accounts' | 'audit' | 'ledger'>): Promise<KeyRing> {
  const { tables, accounts, ledger } = store
  const { at } = await latestTime(store)
  const clock = () => Math.max(at, Date.now())
  // Passkeys need a page. The configuration is not known, and its gate may not start before there is a key: whoever has a passphrase gives it.
  const proofs = { passphrases: scryptPassphrases, passkeys: openPasskeys(noKeys), strong: 'role' } as const
  const common = { tables, accounts, ledger, digest: sha256Hex, clock, ids: randomIds, newKey: newApiKey }
  return { ...common, ...proofs, tableEntries: await tableEntries() }
}

const noKeys = (): never => {
  throw new Bug('there is no page that could show a passkey')
}

/** A new key for the owner, in a file only they can read; earlier keys for the owner become invalid. */
export async function issueAdminKey(ring: KeyRing, data: string): Promise<Result<string>> {
  const listed = await listCredentials(ring, LOCAL_OWNER)
  if (!listed.ok) return listed
  for (const { key_id, caller, state } of listed.value) {
    if (caller.id !== LOCAL_OWNER.id || state !== 'active') continue
    const revoked = await revokeCredential(ring, LOCAL_OWNER, key_id)
    if (!revoked.ok) return revoked
  }
  const [, name = ''] = LOCAL_OWNER.id.split(':')
  const made = await createCredential(ring, LOCAL_OWNER, { kind: LOCAL_OWNER.kind, name }, 'operator')
  if (!made.ok) return made
  const file = placesIn(data).admin
  // An existing file would keep its mode, so it is removed first.
  rmSync(file, { force: true })
  writeFileSync(file, `${made.value.key}\n`, { mode: 0o600, flag: 'wx' })
  return ok(file)
}
