import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../kernel/contract/config.ts'
import type { ServerSettings } from '../../kernel/contract/server-settings.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { loadPacks } from './load-packs.ts'
import { packFor, packSays, type KnownPack } from './match-pack.ts'

const MOST_FILES = 200

export const preparePacks: PrepareGuest = ({ config, folder }) => {
  const packs = readPacks(config, folder)
  if (!packs.ok) return packs
  const packOf = (settings: ServerSettings) => {
    const known = packFor(packs.value, settings)
    return known && ((name: string, hash: string) => packSays(known, name, hash))
  }
  return ok({ ports: { packs: packs.value, packFor: packOf } })
}

/** The packs that ship with the gate, and those of the operator's folder. */
export function readPacks(config: Pick<Config, 'packs'>, folder: string): Result<readonly KnownPack[]> {
  if (config.packs === undefined) return loadPacks([])
  const place = resolve(folder, config.packs)
  try {
    const names = readdirSync(place).filter((name) => /\.(?:ya?ml|json)$/.test(name))
    const files = names.toSorted().slice(0, MOST_FILES)
    return loadPacks(files.map((file) => ({ file, text: readFileSync(join(place, file), 'utf8') })))
  } catch {
    return refuse('config.invalid', { paths: `packs: the folder \`${config.packs}\` cannot be read` })
  }
}
