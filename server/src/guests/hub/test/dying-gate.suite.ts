import { writeSync } from 'node:fs'
import { up } from '../../../main/up.ts'
import { PROBE_POINTS, type ProbePoint } from '../../../kernel/ports/runtime.ts'

/** A gate like any other that kills itself with SIGKILL when it reaches a named point for the nth time. */
const [target = '', nth = '1'] = process.argv.slice(2)
if (!PROBE_POINTS.includes(target as ProbePoint)) throw new Error(`there is no point ${target}`)
let reached = 0
process.exitCode = await up(
  { trust: true },
  {
    probe(point) {
      if (point !== target) return
      reached += 1
      if (reached < Number(nth)) return
      writeSync(1, `died at ${point}\n`)
      process.kill(process.pid, 'SIGKILL')
    },
  },
)
