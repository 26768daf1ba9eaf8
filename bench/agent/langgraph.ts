import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fromPeers } from '../gate/peers.ts'
import { asBetterSqlite } from '../runs/langgraph.ts'
import { MESSAGE, PROMPTS, type AgentSystem } from './system.ts'
import { openTool } from './tool.ts'

/** The parts of LangChain's interfaces that are used here. */
type Message = {
  readonly content: unknown
  readonly tool_calls?: readonly { readonly id: string; readonly args: object }[]
}
type State = { readonly messages: readonly Message[] }
type Node = (state: State) => Promise<State>
type Graph = {
  addNode(name: string, node: Node): Graph
  addEdge(from: string, to: string): Graph
  compile(options: { checkpointer: object }): {
    invoke(state: State, options: { configurable: { thread_id: string }; durability: 'sync' }): Promise<State>
  }
}
type Model = {
  stream(messages: readonly Message[]): Promise<AsyncIterable<Chunk>>
  bindTools(tools: readonly object[]): Model
}
type Chunk = Message & { concat(next: Chunk): Chunk }
type Made<Fields> = new (fields: Fields) => Message

const TOOL = {
  type: 'function',
  function: {
    name: 'bench__echo',
    description: 'Repeats the text and the number',
    parameters: {
      type: 'object',
      properties: { text: { type: 'string' }, number: { type: 'integer' } },
      required: ['text', 'number'],
    },
  },
}

/** A graph of planner, executor, tool and answer, as its guides build one, with its SQLite saver; every checkpoint is durable. */
export async function openLangGraphAgent(url: string): Promise<AgentSystem> {
  const { StateGraph, MessagesAnnotation, START, END } = fromPeers('@langchain/langgraph') as {
    StateGraph: new (state: object) => Graph
    MessagesAnnotation: object
    START: string
    END: string
  }
  const { SqliteSaver } = fromPeers('@langchain/langgraph-checkpoint-sqlite') as {
    SqliteSaver: new (db: object) => object
  }
  const { ChatOpenAI } = fromPeers('@langchain/openai') as { ChatOpenAI: new (fields: object) => Model }
  const { SystemMessage, HumanMessage, ToolMessage } = fromPeers('@langchain/core/messages') as {
    SystemMessage: Made<string>
    HumanMessage: Made<string>
    ToolMessage: Made<{ content: string; tool_call_id: string }>
  }
  const folder = mkdtempSync(join(tmpdir(), 'langgraph-bench-agent-'))
  const database = new DatabaseSync(join(folder, 'checkpoints.sqlite'))
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL')
  const tool = openTool()
  const model = new ChatOpenAI({
    model: 'test',
    apiKey: 'none',
    streaming: true,
    configuration: { baseURL: `${url}/v1` },
  })
  const executor = model.bindTools([TOOL])
  const ask = async (asked: Model, system: string, { messages }: State): Promise<State> => {
    let whole: Chunk | undefined
    for await (const chunk of await asked.stream([new SystemMessage(system), ...messages]))
      whole = whole === undefined ? chunk : whole.concat(chunk)
    return { messages: whole === undefined ? [] : [whole] }
  }
  const app = new StateGraph(MessagesAnnotation)
    .addNode('plan', (state) => ask(model, PROMPTS.plan, state))
    .addNode('propose', (state) => ask(executor, PROMPTS.propose, state))
    .addNode('tool', async ({ messages }) => {
      const calls = messages.at(-1)?.tool_calls ?? []
      const said = calls.map(
        async ({ id, args }) => new ToolMessage({ content: await tool.call(args), tool_call_id: id }),
      )
      return { messages: await Promise.all(said) }
    })
    .addNode('answer', (state) => ask(model, PROMPTS.answer, state))
    .addEdge(START, 'plan')
    .addEdge('plan', 'propose')
    .addEdge('propose', 'tool')
    .addEdge('tool', 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer: new SqliteSaver(asBetterSqlite(database)) })
  return {
    async thread() {
      const options = { configurable: { thread_id: randomUUID() }, durability: 'sync' } as const
      return async () =>
        String((await app.invoke({ messages: [new HumanMessage(MESSAGE)] }, options)).messages.at(-1)?.content)
    },
    async close() {
      tool.close()
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}
