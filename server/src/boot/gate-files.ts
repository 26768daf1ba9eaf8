import { resolve } from 'node:path'
import { storeFiles } from '../stores/open-store.ts'
import type { GateFiles } from '../upstream/gate-places.ts'
import type { Settings } from './load-config.ts'

/** What no tool argument may reach: the data folder, and for writing the configuration and what it takes its policy from. */
export function gateFiles({ data, file, folder, policy }: Settings): GateFiles {
  return {
    data,
    settings: [...new Set([file, resolve(folder, policy.file)])],
    store: storeFiles({ folder: data }),
  }
}
