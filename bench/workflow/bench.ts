import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDocument } from '../../server/src/guests/workflows/read-document.ts'
import { compileTriggers, judgeMessage } from '../../server/src/guests/workflows/triggers.ts'
import { clerk, FILE } from '../../server/src/guests/workflows/test/clerk.suite.ts'
import { openWorkflows } from '../../server/src/guests/workflows/test/with-workflows.suite.ts'
import { columns, type Bench } from '../bench.ts'

type Report = { bench: 'workflow'; events: number; events_per_s: number; matching: { protocols: number; ns: number }[] }

const EVENTS = 200
const AT_ONCE = 16
const MESSAGES = 200_000

const STEPS = `
- type: tool
  tool: book__look
  argsTemplate: {}
- type: persist
  key: last
  value: "{{input.run_id}}"
- type: send_message
  targetAlias: boss
  payloadTemplate: "done {{input.run_id}}"
`

/** Events through a document of three steps on a real gate, and how long a message takes to find its protocol among many. */
export const bench: Bench<Report> = {
  async run() {
    return {
      bench: 'workflow',
      events: EVENTS,
      events_per_s: await throughput(),
      matching: [1, 10, 100, 1_000].map(matching),
    }
  },
  table({ events, events_per_s, matching: rows }) {
    const lines = rows.map(({ protocols, ns }) => [protocols, ns.toFixed(0)])
    return `${events_per_s.toFixed(0)} events/s (${events} events, three steps each)\n${columns([['protocols', 'ns per message'], ...lines])}`
  },
}

async function throughput(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-workflow-'))
  const rig = await openWorkflows(folder)
  try {
    await rig.apply(clerk(STEPS))
    const one = async (n: number) => rig.ended(await rig.say(FILE({ run_id: n, titles: ['x'] })))
    await one(1)
    const began = performance.now()
    let next = 1
    const lane = async () => {
      while (next < EVENTS) await one((next += 1))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    return (EVENTS - 1) / ((performance.now() - began) / 1_000)
  } finally {
    await rig.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function matching(protocols: number): Report['matching'][number] {
  const list = Array.from(
    { length: protocols },
    (_, n) =>
      `    - { id: p${n}, trigger: { type: matrix.protocol_message, prefix: P_${n} }, steps: [{ type: plan, prompt: x }] }`,
  )
  const peers = Array.from({ length: protocols }, (_, n) => `p${n}`).join(', ')
  const head = `apiVersion: gosuto/v1\nmetadata: { name: many }\ntrust:\n  allowedRooms: ["*"]\n  allowedSenders: ["*"]\n  trustedPeers: [{ mxid: "@a:b", roomId: "!r:b", protocols: [${peers}] }]\n`
  const read = readDocument(`${head}workflow:\n  protocols:\n${list.join('\n')}\n`)
  if (!read.ok) throw new Error(JSON.stringify(read.faults[0]))
  const triggers = compileTriggers(read.document)
  const message = { room: '!r:b', sender: '@a:b', text: `P_${protocols - 1} {}`, encrypted: false, directed: false }
  for (let n = 0; n < 10_000; n += 1) judgeMessage(triggers, message)
  const began = performance.now()
  for (let n = 0; n < MESSAGES; n += 1) judgeMessage(triggers, message)
  return { protocols, ns: ((performance.now() - began) * 1e6) / MESSAGES }
}
