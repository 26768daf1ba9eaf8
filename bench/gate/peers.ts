import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../peers')

/** The packages of the benches: the systems to compare with, and those that our own baselines use. */
export const fromPeers = createRequire(join(folder, 'package.json'))

/** A file of a peer, by its path inside the package. */
export const peerFile = (name: string, path: string): string => join(folder, 'node_modules', name, path)

export function peerVersion(name: string): string {
  const read = JSON.parse(readFileSync(peerFile(name, 'package.json'), 'utf8')) as { version: string }
  return read.version
}
