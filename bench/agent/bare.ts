import { MESSAGE, PROMPTS, type AgentSystem } from './system.ts'
import { openTool } from './tool.ts'

type Chunk = {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string
      readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[]
    }
  }[]
}

/** The same three requests and the same call without a framework: the time of the model and the tool alone. */
export async function openBare(url: string): Promise<AgentSystem> {
  const tool = openTool()
  const ask = async (system: string): Promise<{ text: string; args: string }> => {
    const messages = [
      { role: 'system', content: system },
      { role: 'user', content: MESSAGE },
    ]
    const reply = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'test', stream: true, messages }),
    })
    const chunks = (await reply.text())
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)) as Chunk)
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
    return {
      text: deltas.map(({ content = '' }) => content).join(''),
      args: deltas.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.arguments)).join(''),
    }
  }
  return {
    thread: async () => async () => {
      await ask(PROMPTS.plan)
      const { args } = await ask(PROMPTS.propose)
      await tool.call(JSON.parse(args))
      return (await ask(PROMPTS.answer)).text
    },
    close: async () => tool.close(),
  }
}
