import { resolve } from 'node:path'
import type { StoreSettings } from '../stores/open-store.ts'
import { secretOf } from '../upstream/server-config.ts'
import type { Settings } from './load-config.ts'

/** The store that the settings name. An address that cannot be resolved is empty, which no engine opens. */
export function storeOf({ config, folder, data }: Pick<Settings, 'config' | 'folder' | 'data'>): StoreSettings {
  const { postgres, redis, schema, seal, key_secret } = config.store
  const found = seal !== undefined && seal !== false && 'file' in seal ? { file: resolve(folder, seal.file) } : seal
  return {
    folder: data,
    ...(found === undefined ? {} : { seal: found }),
    ...(key_secret === undefined ? {} : { key_secret: secretOf(key_secret, folder, process.env) ?? '' }),
    ...(redis === undefined ? {} : { redis: { url: secretOf(redis, folder, process.env) ?? '' } }),
    ...(postgres === undefined ? {} : { postgres: { url: secretOf(postgres, folder, process.env) ?? '', schema } }),
  }
}

/** The stream of an embedded store. */
export const MAIN_STREAM = 'main'

/**
 * The audit stream of commands that open a store without a gate. In a database it is a separate one: nodes have theirs, and
 * `main` may come from a release whose heads had no MAC.
 */
export const offlineStream = ({ postgres }: StoreSettings): string => (postgres === undefined ? MAIN_STREAM : 'offline')
