import type { Caller } from '../../src/kernel/contract/caller.ts'
import { runRacer } from './race.ts'
import { ROUTED } from './routed.ts'
import { approveShown } from '../helpers/with-gate.ts'

/** People who decide at the same time, as often as requested: `ada,bob`. */
const [folder = '', approval_id = '', users = '', times = '0'] = process.argv.slice(2)
const who = (user: string): Caller => ({ kind: 'approver', id: `approver:${user}`, user })

await runRacer(folder, ROUTED, async (gate) =>
  Array.from({ length: Number(times) }).flatMap(() =>
    users.split(',').map((user) => async () => {
      const answer = await approveShown(gate, who(user), approval_id)
      return answer.ok ? answer.value.state : answer.problem.code
    }),
  ),
)
