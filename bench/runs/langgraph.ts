import { mkdtempSync, rmSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fromPeers } from '../gate/peers.ts'
import { doStep, STEPS, type RunSystem } from './system.ts'

/** The parts of LangGraph's interface that are used here. */
type State = { readonly done: number }
type Graph = {
  addNode(name: string, step: (state: State) => State): Graph
  addEdge(from: string, to: string): Graph
  compile(options: { checkpointer: object }): {
    invoke(state: State, options: { configurable: { thread_id: string }; durability: 'sync' }): Promise<State>
  }
}
type LangGraph = {
  StateGraph: new (state: object) => Graph
  Annotation: { Root(fields: object): object } & (() => object)
  START: string
  END: string
}
type Saver = { SqliteSaver: new (database: object) => object }

/**
 * A graph of ten nodes with its own SQLite saver; each checkpoint is written before the next node starts (`sync`).
 * The saver gets Node's own SQLite binding: `better-sqlite3` has to be compiled for each release of Node.
 */
export async function openLangGraph(): Promise<RunSystem> {
  const { SqliteSaver } = fromPeers('@langchain/langgraph-checkpoint-sqlite') as Saver
  const folder = mkdtempSync(join(tmpdir(), 'langgraph-bench-runs-'))
  const database = new DatabaseSync(join(folder, 'checkpoints.sqlite'))
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL')
  const app = tenNodes(new SqliteSaver(asBetterSqlite(database)))
  return {
    store: 'sqlite FULL',
    run: async () =>
      (await app.invoke({ done: 0 }, { configurable: { thread_id: randomUUID() }, durability: 'sync' })).done,
    async close() {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A graph of ten nodes, one after the other. */
export function tenNodes(checkpointer: object): ReturnType<Graph['compile']> {
  const { StateGraph, Annotation, START, END } = fromPeers('@langchain/langgraph') as LangGraph
  let graph = new StateGraph(Annotation.Root({ done: Annotation() }))
  const names = Array.from({ length: STEPS }, (_, at) => `step${at + 1}`)
  for (const name of names) graph = graph.addNode(name, ({ done }) => ({ done: doStep(done) }))
  for (const [at, name] of names.entries()) graph = graph.addEdge(names[at - 1] ?? START, name)
  return graph.addEdge(`step${STEPS}`, END).compile({ checkpointer })
}

/** Node's database with the few methods that the saver calls on one of `better-sqlite3`. */
export function asBetterSqlite(database: DatabaseSync): object {
  return {
    exec: (sql: string) => database.exec(sql),
    pragma: (text: string) => database.exec(`PRAGMA ${text}`),
    prepare: (sql: string) => database.prepare(sql),
    transaction:
      <Given extends unknown[]>(work: (...given: Given) => void) =>
      (...given: Given) => {
        database.exec('BEGIN')
        try {
          work(...given)
          database.exec('COMMIT')
        } catch (error) {
          database.exec('ROLLBACK')
          throw error
        }
      },
  }
}
