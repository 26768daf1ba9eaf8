import { startModelServer } from '../../server/src/guests/agent/test/model-server.suite.ts'
import { ANSWER } from './system.ts'

// The model for all systems, as a separate process, so that its CPU time is not counted. Prints its address.
const model = await startModelServer()
let number = 0
model.say = ({ purpose }) => {
  model.asked.length = 0
  if (purpose === 'plan') return { text: '["say the text again"]' }
  // A different number each time, because the gate holds repeated calls.
  if (purpose === 'propose') return { tool: 'bench__echo', args: { text: 'heard', number: number++ } }
  return { text: ANSWER }
}
console.log(model.url)
