import type { StoreSettings } from '../stores/open-store.ts'
import { secretOf } from '../upstream/server-config.ts'
import type { Settings } from './load-config.ts'

/** The store that settings mean. An address that cannot be fetched is an empty one, which no engine opens. */
export function storeOf({ config, folder, data }: Pick<Settings, 'config' | 'folder' | 'data'>): StoreSettings {
  const { postgres, schema } = config.store
  if (postgres === undefined) return { folder: data }
  return { folder: data, postgres: { url: secretOf(postgres, folder, process.env) ?? '', schema } }
}
