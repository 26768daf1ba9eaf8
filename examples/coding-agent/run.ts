/**
 * What a coding agent does with `mcp.json`: it starts `sluice mcp` as its only MCP server and talks to it on stdin and stdout. Here
 * the official MCP client acts as the agent, with exactly the settings of that file.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { launcher, withGate } from '../with-gate.ts'

type Config = { mcpServers: Record<string, { command: string; args: string[] }> }
const config = JSON.parse(readFileSync(join(import.meta.dirname, 'mcp.json'), 'utf8')) as Config

await withGate(async (gate) => {
  const [, ...words] = config.mcpServers['sluice']?.args ?? []
  // `bin/sluice` of the checkout, in the gate's folder: there its sluice.yaml is found.
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, ...words],
    cwd: gate.folder,
  })
  const agent = new Client({ name: 'coding-agent', version: '1.0.0' })
  await agent.connect(transport)
  const { tools } = await agent.listTools()
  console.log(`the agent sees ${tools.map(({ name }) => name).join(', ')}`)
  const approved = gate.approveNext()
  const found = await agent.callTool({ name: 'tool_search', arguments: { query: 'send a message to somebody' } })
  assert.match(JSON.stringify(found), /outbox__send_message/)
  const held = await agent.callTool({
    name: 'execute_skill_proxy',
    arguments: {
      skill_id: 'outbox__send_message',
      args: { to: 'bob@example.com', subject: 'review', body: 'please look at my change' },
    },
  })
  const call_id = /call_[0-9a-f]{24}/.exec(JSON.stringify(held))?.[0]
  console.log(`held, as ${call_id}`)
  const outcome = await agent.callTool({ name: 'call_status', arguments: { call_id, wait_ms: 20_000 } })
  await approved
  await agent.close()
  assert.match(JSON.stringify(outcome), /sent to bob@example\.com/)
  assert.equal(gate.sent().length, 1)
  console.log('approved by a person, sent once')
})
