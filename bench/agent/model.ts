import { startModelServer } from '../../server/test/agent/model-server.ts'
import { ANSWER } from './system.ts'

// The model of all systems, in a process of its own: its work is not theirs. Prints its address.
const model = await startModelServer()
let number = 0
model.say = ({ purpose }) => {
  model.asked.length = 0
  if (purpose === 'plan') return { text: '["say the text again"]' }
  // Another number each time, as a repeated call is one that the gate asks about.
  if (purpose === 'propose') return { tool: 'bench__echo', args: { text: 'heard', number: number++ } }
  return { text: ANSWER }
}
console.log(model.url)
