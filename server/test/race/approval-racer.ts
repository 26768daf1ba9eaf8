import type { Gate } from '../helpers/use-gate.ts'
import { APPROVER, USER, approveShown } from '../helpers/with-gate.ts'
import { runRacer } from './race.ts'

/**
 * Tries to get one call approved as often as requested: with one token, with a new token for each attempt, by role, or by an edit whose
 * new request it approves. `retry` orders a call with an unknown outcome to be run again.
 */
const [folder = '', approval_id = '', way = '', times = '0', token = ''] = process.argv.slice(2)

await runRacer(folder, {}, async (gate) => {
  const tries = Array.from({ length: Number(times) })
  const tokens = await Promise.all(tries.map(async () => (way === 'tokens' ? mint(gate) : token)))
  return tokens.map((one) => async () => {
    if (way === 'retry') {
      const settled = await gate.calls.settle(APPROVER, approval_id, 'retry')
      if (!settled.ok) return settled.problem.code
      const { status } = settled.value
      return status === 'unknown' ? (settled.value.retry?.approval_id ?? status) : status
    }
    const answer =
      way === 'role'
        ? await approveShown(gate, APPROVER, approval_id)
        : way === 'edit'
          ? await editAndApprove(gate)
          : await gate.approvals.redeemToken(USER, { approval_id, token: one, thread: 't1', says: 'approve' })
    return answer.ok ? answer.value.state : answer.problem.code
  })
})

async function editAndApprove(gate: Gate): ReturnType<typeof approveShown> {
  const edited = await gate.approvals.edit(APPROVER, approval_id, { text: 'edited' })
  return edited.ok ? approveShown(gate, APPROVER, edited.value.approval_id) : edited
}

async function mint(gate: Gate): Promise<string> {
  const issued = await gate.approvals.issueToken(USER, approval_id)
  if (!issued.ok) throw new Error(issued.problem.code)
  return issued.value
}
