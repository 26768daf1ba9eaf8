/** The OpenAI Agents SDK: the gate as an MCP server of the agent. */
import assert from 'node:assert/strict'
import { Agent, MCPServerStreamableHttp, OpenAIChatCompletionsModel, run, setTracingDisabled } from '@openai/agents'
import OpenAI from 'openai'
import { withGate } from '../with-gate.ts'
import { withScriptedModel } from './scripted-model.ts'

setTracingDisabled(true)
await withGate(async (gate) =>
  withScriptedModel(async (baseURL) => {
    const headers = { authorization: `Bearer ${gate.key('agent', 'openai')}` }
    const sluice = new MCPServerStreamableHttp({
      name: 'sluice',
      url: `${gate.url}/mcp?surface=passthrough`,
      requestInit: { headers },
    })
    await sluice.connect()
    const model = new OpenAIChatCompletionsModel(new OpenAI({ baseURL, apiKey: 'none' }), 'scripted')
    const agent = new Agent({ name: 'Assistant', instructions: 'You write messages.', model, mcpServers: [sluice] })
    const approved = gate.approveNext()
    const { finalOutput } = await run(agent, 'Ask Bob for lunch at noon.')
    await approved
    await sluice.close()
    console.log(`the agent says: ${finalOutput}`)
    assert.equal(finalOutput, 'The message is sent.')
    assert.equal(gate.sent().length, 1)
  }),
)
