import { driveWorld, openWorld } from '../../src/boot/open-gate.ts'
import { settingsIn, USER } from '../gate/with-gate.ts'

/** One of several processes on one store: waits for the word, then redeems the same token as fast as it can. */
const [folder = '', approval_id = '', token = '', times = '0'] = process.argv.slice(2)
const opened = await openWorld(settingsIn(folder), { log: () => {}, url: () => 'http://gate.test' }, false)
if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
const { world, settled, close } = opened.value
const { gate, scheduler } = driveWorld(world, (_level, says, about) =>
  process.stderr.write(`${says} ${JSON.stringify(about)}\n`),
)
await settled
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
const presented = { approval_id, token, thread: 't1', says: 'approve' } as const
const answers = await Promise.all(Array.from({ length: Number(times) }, () => gate.redeemToken(USER, presented)))
await scheduler.stop()
const tally: Record<string, number> = {}
for (const answer of answers) {
  const key = answer.ok ? answer.value.state : `${answer.problem.code} ${answer.problem.about['factor']}`
  tally[key] = (tally[key] ?? 0) + 1
}
await close()
process.stdout.write(`${JSON.stringify(tally)}\n`)
process.exit(0)
