import { driveWorld, openWorld } from '../../src/boot/open-gate.ts'
import { APPROVER, settingsIn, USER } from '../gate/with-gate.ts'

/**
 * One of several processes on one store: waits for the word, then tries to get the same call approved as often as it was told,
 * all at once: with one token, with a token of its own for each try, or by role.
 */
const [folder = '', approval_id = '', way = '', times = '0', token = ''] = process.argv.slice(2)
const opened = await openWorld(settingsIn(folder), { log: () => {}, url: () => 'http://gate.test' }, false)
if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
const { world, settled, close } = opened.value
const { gate, scheduler } = driveWorld(world, (_level, says, about) =>
  process.stderr.write(`${says} ${JSON.stringify(about)}\n`),
)
await settled
const tries = Array.from({ length: Number(times) }, (_, index) => index)
const tokens = way === 'tokens' ? await Promise.all(tries.map(mint)) : tries.map(() => token)
process.stdout.write('ready\n')
await new Promise((resolve) => process.stdin.once('data', resolve))
const answers = await Promise.all(tokens.map(attempt))
await scheduler.stop()

async function mint(): Promise<string> {
  const issued = await gate.issueToken(USER, approval_id)
  if (!issued.ok) throw new Error(issued.problem.code)
  return issued.value
}

function attempt(one: string) {
  if (way === 'role') return gate.decideApproval(APPROVER, approval_id, { says: 'approve' })
  return gate.redeemToken(USER, { approval_id, token: one, thread: 't1', says: 'approve' })
}

const tally: Record<string, number> = {}
for (const answer of answers) {
  const key = answer.ok ? answer.value.state : answer.problem.code
  tally[key] = (tally[key] ?? 0) + 1
}
await close()
process.stdout.write(`${JSON.stringify(tally)}\n`)
process.exit(0)
