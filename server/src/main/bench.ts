import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Cli } from '../adapters/cli/cli.ts'

const BENCH = join(import.meta.dirname, '../../../bench/run.ts')

export function addBenchCommand(program: Command, { globals, exit, fail }: Cli): void {
  program
    .command('bench [words...]')
    .description('run the benchmarks; only in a checkout of the repository')
    .allowUnknownOption()
    .action(async (words: string[]) => {
      const measured = bench([...words, ...(globals().json === true ? ['--json'] : [])])
      if (measured === undefined) fail('the benchmarks are not in the published package: run this in a checkout')
      else exit(await measured)
    })
}

/** Runs a bench of this checkout, and returns its exit code. The published package has none. */
function bench(words: readonly string[]): Promise<number> | undefined {
  if (!existsSync(BENCH)) return undefined
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BENCH, ...words], { stdio: 'inherit' })
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
