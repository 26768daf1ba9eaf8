import type { Gate } from '../../src/commands/gate.ts'
import { APPROVER, USER, approveShown } from '../gate/with-gate.ts'
import { runRacer } from './race.ts'

/** Tries to get one call approved as often as it was told: with one token, with a token of its own for each try, or by role. */
const [folder = '', approval_id = '', way = '', times = '0', token = ''] = process.argv.slice(2)

await runRacer(folder, {}, async (gate) => {
  const tries = Array.from({ length: Number(times) })
  const tokens = await Promise.all(tries.map(async () => (way === 'tokens' ? mint(gate) : token)))
  return tokens.map((one) => async () => {
    const answer =
      way === 'role'
        ? await approveShown(gate, APPROVER, approval_id)
        : await gate.approvals.redeemToken(USER, { approval_id, token: one, thread: 't1', says: 'approve' })
    return answer.ok ? answer.value.state : answer.problem.code
  })
})

async function mint(gate: Gate): Promise<string> {
  const issued = await gate.approvals.issueToken(USER, approval_id)
  if (!issued.ok) throw new Error(issued.problem.code)
  return issued.value
}
