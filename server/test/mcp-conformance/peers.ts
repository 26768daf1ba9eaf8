import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const FOLDER = resolve(import.meta.dirname, '../peers')

/** The suites, by the names their two releases have in `peers/package.json`. */
export const SUITES = { '0.1.16': 'mcp-conformance-0.1', '0.2.0-alpha.12': 'mcp-conformance-0.2' } as const
export type SuiteVersion = keyof typeof SUITES

export const suiteFile = (version: SuiteVersion) => join(FOLDER, 'node_modules', SUITES[version], 'dist/index.js')

/** Installs what is missing, from the lockfile and without running anybody's scripts. A sentence when that is not possible. */
export async function installPeers(): Promise<string | undefined> {
  const versions = Object.keys(SUITES) as SuiteVersion[]
  if (versions.every((version) => existsSync(suiteFile(version)))) return undefined
  try {
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER })
    return undefined
  } catch (error) {
    return `the peers could not be installed: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`
  }
}
