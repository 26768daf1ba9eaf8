import { existsSync, rmSync } from 'node:fs'
import { up } from '../../src/main/up.ts'

/** A gate that listens like any other and stops itself by SIGSTOP when a call reaches a named point while there is a file `stop-at`. */
const marker = 'stop-at'
process.exitCode = await up(
  { trust: true },
  {
    probe(point) {
      if (point !== 'upstream.before' || !existsSync(marker)) return
      rmSync(marker)
      process.kill(process.pid, 'SIGSTOP')
    },
  },
)
