import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe } from 'vitest'

const folder = resolve(import.meta.dirname, '../../../../../shared/data/conformance')

/** The lines of a published set of vectors. They are stored outside the project. */
export function linesOf(name: string): readonly string[] {
  return gunzipSync(readFileSync(resolve(folder, name)))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}

export const rowsOf = (name: string): readonly unknown[] => linesOf(name).map((line) => JSON.parse(line) as unknown)

export const jsonOf = (name: string): unknown => JSON.parse(readFileSync(resolve(folder, name), 'utf8'))

/** A group of tests over published vectors; skipped with a message if they are missing. */
export function describeVectors(title: string, tests: () => void): void {
  if (existsSync(folder)) {
    describe(title, tests)
    return
  }
  console.log(`skipped: ${title} (no ../shared/data/conformance beside the project)`)
  describe.skip(title, tests)
}
