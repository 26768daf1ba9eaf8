import { resolve } from 'node:path'
import type { StoreSettings } from '../adapters/stores/open-store.ts'
import { secretOf } from '../adapters/upstream/server-config.ts'
import type { Settings } from './load-config.ts'
import { isTrusted } from './trust/check-trust.ts'

/** The store that the settings name. An address that cannot be resolved is empty, which no engine opens. */
export function storeOf(settings: Settings): StoreSettings {
  const { config, folder, data } = settings
  const { postgres, redis, schema, key_secret } = config.store
  const found = sealOf(settings)
  return {
    folder: data,
    ...(found === undefined ? {} : { seal: found }),
    ...(key_secret === undefined ? {} : { key_secret: secretOf(key_secret, folder, process.env) ?? '' }),
    ...(redis === undefined ? {} : { redis: { url: secretOf(redis, folder, process.env) ?? '' } }),
    ...(postgres === undefined ? {} : { postgres: { url: secretOf(postgres, folder, process.env) ?? '', schema } }),
  }
}

/** The command of a configuration that nobody has trusted is not run, whichever command opens the store. */
function sealOf(settings: Settings): StoreSettings['seal'] {
  const { seal } = settings.config.store
  if (seal === undefined || seal === false) return seal
  if ('file' in seal) return { file: resolve(settings.folder, seal.file) }
  return isTrusted(settings) ? seal : { untrusted: settings.file }
}

/** The stream of an embedded store. */
export const MAIN_STREAM = 'main'

/**
 * The audit stream of commands that open a store without a gate. In a database it is a separate one: nodes have theirs, and
 * `main` may come from a release whose heads had no MAC.
 */
export const offlineStream = ({ postgres }: StoreSettings): string => (postgres === undefined ? MAIN_STREAM : 'offline')
