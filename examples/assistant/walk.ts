/**
 * An assistant in one thread: it reads a file of its sandbox, drafts a message and is held; an approver approves it; the thread continues
 * by itself and the message is sent once. The model is scripted; set MODEL_URL, MODEL and MODEL_KEY to use a real one.
 */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { withGate } from '../with-gate.ts'

const { MODEL_URL, MODEL, MODEL_KEY } = process.env
const files = createRequire(resolve(import.meta.dirname, '../../server/package.json')).resolve(
  '@modelcontextprotocol/server-filesystem/dist/index.js',
)
const model =
  MODEL_URL === undefined
    ? 'script: ./script.yaml'
    : `agent: { provider: openai-compatible, url: ${MODEL_URL}, model: ${MODEL}, ${MODEL_KEY === undefined ? '' : 'key: env:MODEL_KEY'} }`

const config = `
  files:
    command: node
    args: [${JSON.stringify(files)}, ./files]
    cwd: ./files
    trusted: true
    sandbox: { roots: [./files], local: true }
models:
  ${model}
`

function prepare(folder: string): void {
  mkdirSync(join(folder, 'files'))
  writeFileSync(join(folder, 'files/notes.txt'), 'The meeting is on Tuesday at ten.\n')
  copyFileSync(join(import.meta.dirname, 'script.yaml'), join(folder, 'script.yaml'))
}

await withGate(
  async (gate) => {
    const key = gate.key('user', 'ben')
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const say = async (message: string, thread_id?: string) => {
      const body = JSON.stringify({ message, ...(thread_id === undefined ? {} : { thread_id }) })
      const answer = await fetch(`${gate.url}/agent/run`, { method: 'POST', headers, body })
      return (await answer.json()) as Record<'response' | 'thread_id' | 'run_id' | 'status', string>
    }

    const read = await say('read notes.txt')
    assert.equal(read.status, 'completed')
    assert.match(read.response, /Tuesday/)
    console.log(`the assistant reads: ${read.response.split('\n')[0]}`)

    const held = await say('send it to ana@example.com', read.thread_id)
    assert.equal(held.status, 'awaiting_approval')
    assert.equal(gate.sent().length, 0)
    console.log('it drafts a message and is held; nothing is sent yet')

    // The approver has a separate key and decides about the packet.
    const approver = { ...headers, authorization: `Bearer ${gate.key('approver', 'cleo')}` }
    const thread = (await (await fetch(`${gate.url}/agent/runs/${held.run_id}`, { headers })).json()) as Record<
      string,
      string
    >
    const request = `${gate.url}/v1/approvals/${thread['approval_id']}`
    const packet = (await (await fetch(request, { headers: approver })).json()) as Record<string, unknown>
    console.log(`the approver reads: ${JSON.stringify(packet['proposed_args'])}`)
    const decision = JSON.stringify({ decision: 'approve', digest: packet['digest'], typed: 'ana@example.com' })
    assert.equal((await fetch(`${request}/decide`, { method: 'POST', headers: approver, body: decision })).status, 200)

    // Follow the thread to its end.
    const events = await fetch(`${gate.url}/agent/runs/${held.run_id}/events`, { headers })
    let text = ''
    for await (const chunk of events.body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.split('event: final').length > 3 && text.endsWith('\n\n')) break
    }
    assert.match(text, /"status":"completed"/)
    assert.equal(gate.sent().length, 1)
    console.log('the thread continues, and the message is sent once')
    assert.match(gate.cli('audit', 'verify'), /verif|ok/i)
    console.log('the audit verifies')
  },
  { config, prepare },
)
