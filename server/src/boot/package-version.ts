import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Two folders up from this file stands the package, whether it runs as it was written or as it was built. */
export const packageVersion = (): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))).version
