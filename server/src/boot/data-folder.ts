import { hash } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ok, refuse, type Result } from '../contract/problems.ts'

/** The places inside a data folder. Only the store knows where its own files are. */
export function placesIn(folder: string) {
  return {
    keys: join(folder, 'keys'),
    /** The owner's admin key. */
    admin: join(folder, 'admin.key'),
    socket: join(folder, 'gate.sock'),
    log: join(folder, 'gate.log'),
    /** Present if the gate was last started by `sluice node`, with a hub that may be given only on the command line. */
    node: join(folder, 'node'),
    /** Embeddings of tools' texts, one file per model. */
    vectors: join(folder, 'vectors'),
    /** What tool servers store, each in a folder of its name. Beside the data folder, so that no server works inside it. */
    servers: `${folder}-servers`,
  } as const
}

const IGNORED = '# Keys and the record of every call: never commit this folder.\n*\n'

/** Creates the folder, readable only by its owner. */
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

/** Remembers whether the gate was started as a node: commands that start a gate automatically would start it without its hub. */
export function markNode(folder: string, isNode: boolean): void {
  const { node } = placesIn(folder)
  if (isNode) writeFileSync(node, '', { mode: 0o600 })
  else rmSync(node, { force: true })
}

/** SHA-256 of the bytes given as hex digits. */
export function digestBytes(hex: string): string {
  const reused = hex.length === 2 * LEAF.length ? LEAF : hex.length === 2 * NODE.length ? NODE : undefined
  const isWhole = reused?.write(hex, 'hex') === reused?.length
  return hash('sha256', reused !== undefined && isWhole ? reused : Buffer.from(hex, 'hex'), 'hex')
}

/** Buffers for the leaves and nodes of the audit's Merkle tree: several are hashed for each call. */
const LEAF = Buffer.alloc(33)
const NODE = Buffer.alloc(65)
