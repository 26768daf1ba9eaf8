import { writeSync } from 'node:fs'
import { up } from '../../src/main/up.ts'
import { PROBE_POINTS, type ProbePoint } from '../../src/kernel/ports/runtime.ts'

/** A gate that listens like any other and kills itself with SIGKILL when a call reaches a named point. */
const [target = ''] = process.argv.slice(2)
if (!PROBE_POINTS.includes(target as ProbePoint)) throw new Error(`there is no point ${target}`)
process.exitCode = await up(
  { trust: true },
  {
    probe(point) {
      if (point !== target) return
      writeSync(1, `died at ${point}\n`)
      process.kill(process.pid, 'SIGKILL')
    },
  },
)
