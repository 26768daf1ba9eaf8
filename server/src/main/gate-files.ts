import { relative, resolve } from 'node:path'
import { storeFiles } from '../adapters/stores/open-store.ts'
import type { GateFiles } from '../kernel/ports/files.ts'
import { NEWEST_CHECKPOINT_FILE } from '../adapters/keys/checkpoint-file.ts'
import { HEAD_FILE } from '../adapters/keys/newest-entry-file.ts'
import { SEEN_FILE } from '../adapters/keys/seen-entries.ts'
import { CHECKPOINT_FILE, TOKEN_FILE } from '../adapters/keys/key-folder.ts'
import { MINIMUM_VERSIONS_FILE } from '../adapters/keys/minimum-versions.ts'
import { ROW_KEY_FILE } from '../adapters/keys/row-key.ts'
import { SEAL_KEY_FILE } from '../adapters/keys/seal-keys.ts'
import { placesIn } from './data-folder.ts'
import { sharedKeyFiles } from './guest-parts.ts'
import type { Settings } from './load-config.ts'
import { clientPrograms, decidingFiles, programFiles, startFiles } from './protected-files.ts'
import { trustFolder } from './trust/trust-records.ts'

const KEY_FILES = [
  TOKEN_FILE,
  CHECKPOINT_FILE,
  NEWEST_CHECKPOINT_FILE,
  HEAD_FILE,
  SEEN_FILE,
  MINIMUM_VERSIONS_FILE,
  ROW_KEY_FILE,
  SEAL_KEY_FILE,
]

/**
 * What no tool argument may reach: the data folder and, for writing, the configuration, the files of its policy, what the user
 * trusts, what decides what clients run, programs, and what shells and git start with.
 */
export async function gateFiles({ data, file, folder, policy }: Settings): Promise<GateFiles> {
  const { admin, socket, keys } = placesIn(data)
  const store = storeFiles({ folder: data })
  const secret = [
    admin,
    socket,
    ...store,
    ...[...KEY_FILES, ...sharedKeyFiles().map(({ name }) => name)].map((name) => resolve(keys, name)),
  ]
  return {
    data,
    settings: [
      ...new Set([file, resolve(folder, policy.file), trustFolder(), ...(await decidingFiles({ data, file }))]),
    ],
    programs: [...new Set([...programFiles(), ...clientPrograms(), ...startFiles()])],
    store,
    names: secret.map((path) => relative(data, path)),
  }
}
