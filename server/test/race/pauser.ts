import { PauseScope } from '../../src/kernel/contract/pause.ts'
import { ADMIN } from '../helpers/with-gate.ts'
import { runRacer } from './race.ts'

/** Another process on the same store, in which an admin pauses something. */
const [folder = '', scope = ''] = process.argv.slice(2)

await runRacer(folder, {}, async (gate) => [
  async () => {
    const order = { scope: PauseScope.parse(scope), effect: 'block', active: true, reason: 'stop' } as const
    const paused = await gate.pauses.set(ADMIN, order)
    return paused.ok ? 'paused' : paused.problem.code
  },
])
