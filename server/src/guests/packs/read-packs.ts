import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadPacks, type KnownPack } from './load-packs.ts'
import { refuse, type Result } from '../../kernel/contract/problems.ts'
import type { Settings } from '../../main/load-config.ts'

const MOST_FILES = 200

/** The packs that ship with the gate, and those of the operator's folder. */
export function readPacks({ config, folder }: Pick<Settings, 'config' | 'folder'>): Result<readonly KnownPack[]> {
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
