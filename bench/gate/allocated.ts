import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Arguments and environment that make a Node process report how much it has allocated. */
export const REPORTING = ['--import', join(import.meta.dirname, 'report-allocated.ts')] as const
const fileIn = (folder: string): string => join(folder, 'allocated')
export const reportingEnv = (folder: string): { readonly ALLOCATED_FILE: string } => ({
  ALLOCATED_FILE: fileIn(folder),
})

const PATIENCE_MS = 10_000

/** Bytes that the threads of a gateway have allocated since its start. */
export async function allocatedBy(child: ChildProcess, folder: string): Promise<number> {
  const file = fileIn(folder)
  rmSync(file, { force: true })
  child.kill('SIGUSR2')
  const until = performance.now() + PATIENCE_MS
  while (performance.now() < until) {
    const bytes = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
    if (bytes > 0) return bytes
    await sleep(20)
  }
  throw new Error('the gateway did not say what it has allocated')
}
