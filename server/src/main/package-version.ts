import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** The package is two folders up from this file, both in the repository and when built. */
export const packageVersion = (): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))).version
