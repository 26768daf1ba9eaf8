/** The Vercel AI SDK: tools from the gate's MCP door, a held call, and an agent that continues by itself after the approval. */
import assert from 'node:assert/strict'
import { createMCPClient } from '@ai-sdk/mcp'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount, type ToolSet } from 'ai'
import { withGate } from '../with-gate.ts'
import { withScriptedModel } from './scripted-model.ts'

await withGate(async (gate) =>
  withScriptedModel(async (baseURL) => {
    const headers = { authorization: `Bearer ${gate.key('agent', 'vercel')}` }
    const mcp = await createMCPClient({
      transport: { type: 'http', url: `${gate.url}/mcp?surface=passthrough`, headers },
    })
    const model = createOpenAICompatible({ name: 'scripted', baseURL }).chatModel('scripted')
    const approved = gate.approveNext()
    const { text } = await generateText({
      model,
      tools: (await mcp.tools()) as ToolSet,
      prompt: 'Ask Bob for lunch at noon.',
      stopWhen: isStepCount(6),
    })
    await approved
    await mcp.close()
    console.log(`the agent says: ${text}`)
    assert.equal(text, 'The message is sent.')
    assert.equal(gate.sent().length, 1)
  }),
)
