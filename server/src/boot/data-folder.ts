import { hash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ok, refuse, type Result } from '../contract/problems.ts'

/** The places inside a data folder. Where the store keeps its own files is known to the store. */
export function placesIn(folder: string) {
  return {
    keys: join(folder, 'keys'),
    /** The owner's admin key. */
    admin: join(folder, 'admin.key'),
    socket: join(folder, 'gate.sock'),
    log: join(folder, 'gate.log'),
    /** Present when the gate was last started by `sluice node`, with a hub that may stand only on the command line. */
    node: join(folder, 'node'),
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

/** Remembers whether the gate was started as a node: commands that start a gate by themselves would start it without its hub. */
export function markNode(folder: string, isNode: boolean): void {
  const { node } = placesIn(folder)
  if (isNode) writeFileSync(node, '', { mode: 0o600 })
  else rmSync(node, { force: true })
}

/** SHA-256 of the bytes that hex digits write. */
export const digestBytes = (hex: string): string => hash('sha256', Buffer.from(hex, 'hex'), 'hex')
