/** Starts a gate and walks through `walk.sh`, which is plain curl. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withGate } from '../with-gate.ts'

await withGate(async (gate) => {
  const env = {
    ...process.env,
    SLUICE_URL: gate.url,
    SLUICE_AGENT_KEY: gate.key('agent', 'writer'),
    SLUICE_APPROVER_KEY: gate.key('approver', 'ben'),
  }
  const { stdout } = await promisify(execFile)('sh', [join(import.meta.dirname, 'walk.sh')], { env })
  console.log(stdout)
  assert.match(stdout, /"status":"pending"/)
  assert.match(stdout, /^403$/m)
  assert.match(stdout, /"status":"executed".*sent to bob@example\.com/)
  assert.equal(gate.sent().length, 1)
})
