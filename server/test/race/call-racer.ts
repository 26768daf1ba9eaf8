import { Caller } from '../../src/kernel/contract/caller.ts'
import { AGENT } from '../helpers/with-gate.ts'
import { runRacer } from './race.ts'

/** Makes many calls of one tool, each with its own text, under a shared budget or as another caller where one is given. */
const [folder = '', tool = '', thread = '', name = '', times = '0', budget = '', as = ''] = process.argv.slice(2)
const caller = as === '' ? AGENT : Caller.parse(JSON.parse(as))
const options = budget === '' ? {} : { config: { budgets: [{ id: 'shared', calls: Number(budget), per: 'run' }] } }

await runRacer(folder, options, async (gate) =>
  Array.from({ length: Number(times) }, (_, nth) => async () => {
    const outcome = await gate.calls.dispatch({ caller, tool, args: { text: `race ${name} ${nth}` }, thread })
    return outcome.status === 'refused' ? outcome.problem.code : outcome.status
  }),
)
