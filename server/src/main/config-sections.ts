import type { Config } from '../kernel/contract/config.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'

/** Read again while the gate runs, or compared in another way. */
const LIVE: readonly string[] = ['servers', 'policy', 'data']
const LENGTH = 16

/** A digest of each section of the configuration that takes effect only after a restart. */
export function configSections(config: Config): Readonly<Record<string, string>> {
  const sections = Object.entries(config).filter(([name]) => !LIVE.includes(name))
  return Object.fromEntries(
    sections.map(([name, section]) => [name, sha256Hex(JSON.stringify(section)).slice(0, LENGTH)]),
  )
}
