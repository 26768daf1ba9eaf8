/** LangGraph.js: a ReAct agent whose tools come from the gate's MCP door. */
import assert from 'node:assert/strict'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { ChatOpenAI } from '@langchain/openai'
import { withGate } from '../with-gate.ts'
import { withScriptedModel } from './scripted-model.ts'

await withGate(async (gate) =>
  withScriptedModel(async (baseURL) => {
    const headers = { authorization: `Bearer ${gate.key('agent', 'langgraph')}` }
    const mcp = new MultiServerMCPClient({
      sluice: { transport: 'http', url: `${gate.url}/mcp?surface=passthrough`, headers },
    })
    const llm = new ChatOpenAI({ model: 'scripted', apiKey: 'none', configuration: { baseURL } })
    const agent = createReactAgent({ llm, tools: await mcp.getTools() })
    const approved = gate.approveNext()
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Ask Bob for lunch at noon.' }] })
    await approved
    await mcp.close()
    const text = messages.at(-1)?.text
    console.log(`the agent says: ${text}`)
    assert.equal(text, 'The message is sent.')
    assert.equal(gate.sent().length, 1)
  }),
)
