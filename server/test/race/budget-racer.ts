import { driveWorld, openWorld } from '../../src/boot/open-gate.ts'
import { AGENT, settingsIn } from '../gate/with-gate.ts'

/** One of several processes on one store: waits for the word, then makes all its calls at once. */
const [folder = '', name = '', times = '0', budget = '0'] = process.argv.slice(2)
const config = { budgets: [{ id: 'shared', calls: Number(budget), per: 'run' }] }
const opened = await openWorld(settingsIn(folder, { config }), { log: () => {}, url: () => 'http://gate.test' }, false)
if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
const { world, settled, close } = opened.value
const { gate, scheduler } = driveWorld(world, () => {})
await settled
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
const outcomes = await Promise.all(
  Array.from({ length: Number(times) }, (_, at) =>
    gate.dispatch({ caller: AGENT, tool: 'book__note_again', args: { text: `${name} ${at}` }, thread: 't1' }),
  ),
)
await scheduler.stop()
const tally: Record<string, number> = {}
for (const outcome of outcomes) {
  const key = outcome.status === 'refused' ? outcome.problem.code : outcome.status
  tally[key] = (tally[key] ?? 0) + 1
}
await close()
process.stdout.write(`${JSON.stringify(tally)}\n`)
process.exit(0)
