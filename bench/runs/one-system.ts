import { quantile } from '../bench.ts'
import { openLangGraph } from './langgraph.ts'
import { openDbos, openGraphile, openLangGraphPostgres } from './postgres-systems.ts'
import { openRestate } from './restate.ts'
import { openSluice, openSluicePostgres } from './sluice.ts'
import { STEPS, type RunSystem } from './system.ts'

// Measures one system in a process of its own: `one-system.ts <system> <at once> <ms>` prints one line of JSON.
const SYSTEMS: Readonly<Record<string, () => Promise<RunSystem>>> = {
  sluice: openSluice,
  langgraph: openLangGraph,
  restate: openRestate,
  'sluice on postgres': openSluicePostgres,
  'langgraph on postgres': openLangGraphPostgres,
  dbos: openDbos,
  'graphile-worker': openGraphile,
}

const [name = '', concurrency = '1', ms = '1000'] = process.argv.slice(2)
const open = SYSTEMS[name]
if (open === undefined) throw new Error(`no system is called \`${name}\``)
const system = await open()
try {
  await load(system, Number(concurrency), Number(ms) / 3)
  const measured = await load(system, Number(concurrency), Number(ms))
  console.log(JSON.stringify({ store: system.store, ...measured }))
} finally {
  await system.close()
}
process.exit(0)

/** This many clients, each of which starts a run when its last one has ended. */
async function load({ run }: RunSystem, clients: number, duration: number) {
  const start = performance.now()
  const took: number[] = []
  const client = async () => {
    for (let now = start; now < start + duration;) {
      if ((await run()) !== STEPS) throw new Error('a run ended with a wrong result')
      const ended = performance.now()
      took.push(ended - now)
      now = ended
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const seconds = (performance.now() - start) / 1000
  const p50 = quantile(
    took.toSorted((a, b) => a - b),
    0.5,
  )
  return { runs_s: Math.round((took.length / seconds) * 10) / 10, p50_ms: Math.round(p50 * 100) / 100 }
}
