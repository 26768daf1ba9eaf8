import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const BENCH = join(import.meta.dirname, '../../../bench/run.ts')

/** Runs a bench of this checkout, and returns its exit code. The published package has none. */
export function bench(words: readonly string[]): Promise<number> | undefined {
  if (!existsSync(BENCH)) return undefined
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BENCH, ...words], { stdio: 'inherit' })
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
