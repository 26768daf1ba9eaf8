import { randomUUID } from 'node:crypto'
import { fromPeers } from '../gate/peers.ts'
import { tenNodes } from './langgraph.ts'
import { doStep, STEPS, type RunSystem } from './system.ts'

/** The database of this measurement: the parent started the server. */
export const POSTGRES_VARIABLE = 'BENCH_POSTGRES'
const STORE = 'postgres, synchronous_commit=on'

export function databaseUrl(): string {
  const url = process.env[POSTGRES_VARIABLE]
  if (url === undefined) throw new Error('no Postgres to measure on')
  return url
}

type Saver = { PostgresSaver: { fromConnString(url: string): { setup(): Promise<void>; end(): Promise<void> } } }

/** LangGraph's graph of ten nodes with its own Postgres saver; each checkpoint is written before the next node starts. */
export async function openLangGraphPostgres(): Promise<RunSystem> {
  const { PostgresSaver } = fromPeers('@langchain/langgraph-checkpoint-postgres') as Saver
  const saver = PostgresSaver.fromConnString(databaseUrl())
  await saver.setup()
  const app = tenNodes(saver)
  return {
    store: STORE,
    run: async () =>
      (await app.invoke({ done: 0 }, { configurable: { thread_id: randomUUID() }, durability: 'sync' })).done,
    close: () => saver.end(),
  }
}

type Dbos = {
  DBOS: {
    setConfig(config: { name: string; systemDatabaseUrl: string; logLevel: string }): void
    registerWorkflow<T>(workflow: () => Promise<T>, options: { name: string }): () => Promise<T>
    runStep<T>(step: () => Promise<T>, options: { name: string }): Promise<T>
    launch(): Promise<void>
    shutdown(): Promise<void>
  }
}

/** A workflow of ten steps; each step's result is stored before the next one begins. */
export async function openDbos(): Promise<RunSystem> {
  const { DBOS } = fromPeers('@dbos-inc/dbos-sdk') as Dbos
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: databaseUrl(), logLevel: 'error' })
  const run = DBOS.registerWorkflow(
    async () => {
      let done = 0
      for (let step = 0; step < STEPS; step += 1) {
        const before = done
        done = await DBOS.runStep(async () => doStep(before), { name: `step${step + 1}` })
      }
      return done
    },
    { name: 'ten_steps' },
  )
  await DBOS.launch()
  return { store: STORE, run, close: () => DBOS.shutdown() }
}

type Payload = { readonly id: string; readonly done: number }
type AddJob = (task: string, payload: Payload) => Promise<unknown>
type Graphile = {
  run(options: object): Promise<{ addJob: AddJob; stop(): Promise<void> }>
  Logger: new (make: () => () => void) => object
}

/** Ten jobs, each of which enqueues the next: that is how steps become durable in a queue. */
export async function openGraphile(): Promise<RunSystem> {
  const { run, Logger } = fromPeers('graphile-worker') as Graphile
  const waiting = new Map<string, (done: number) => void>()
  const runner = await run({
    connectionString: databaseUrl(),
    concurrency: 50,
    noHandleSignals: true,
    pollInterval: 1000,
    maxPoolSize: 20,
    logger: new Logger(() => () => {}),
    taskList: {
      async step({ id, done }: Payload, { addJob }: { addJob: AddJob }) {
        const next = doStep(done)
        if (next === STEPS) waiting.get(id)?.(next)
        else await addJob('step', { id, done: next })
      },
    },
  })
  return {
    store: STORE,
    async run() {
      const id = randomUUID()
      const ended = new Promise<number>((resolve) => waiting.set(id, resolve))
      await runner.addJob('step', { id, done: 0 })
      const done = await ended
      waiting.delete(id)
      return done
    },
    close: () => runner.stop(),
  }
}
