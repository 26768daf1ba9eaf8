import { echoOf } from './echo-tool.ts'
import { codeOf } from './executor.ts'
import { frame, openSession, type Session, type Target } from './sessions.ts'

// The load generator, a separate process. Its parent sends it what to open and how much load to create.
export type Order =
  | { readonly order: 'open'; readonly system: string; readonly target: Target }
  | { readonly order: 'load'; readonly system: string; readonly concurrency: number; readonly ms: number }
  | { readonly order: 'close'; readonly system: string }
export type LoadReply =
  | { readonly is: 'done' }
  | { readonly is: 'loaded'; readonly ms: number; readonly us: readonly number[] }
  | { readonly is: 'failed'; readonly says: string }

/** The text contains no instruction, because the gate would hold later calls of the session. */
const TEXT = 'the quarterly figures are in the shared folder, where they were read before noon'
type Opened = { readonly session: Session; readonly tool: string; readonly code?: string }
const sessions = new Map<string, Opened>()
/** Numbers are never used twice, by any load generator of a measurement, so no gate can take one call for another. */
let number = process.pid * 10_000_000

async function open(system: string, target: Target): Promise<LoadReply> {
  sessions.get(system)?.session.close()
  const session = await openSession(target)
  const { asks, close } = await session.lanes(1)
  const id = (number += 1)
  const listed = await asks[0]?.(id, frame(id, 'tools/list', {}))
  close()
  const names = listed?.result?.tools?.map(({ name }) => name) ?? []
  if (!names.includes(target.tool)) throw new Error(`there is no ${target.tool} among its tools: ${names.join(', ')}`)
  const code = 'code' in target && target.code !== undefined ? { code: target.code } : {}
  sessions.set(system, { session, tool: target.tool, ...code })
  return { is: 'done' }
}

async function load(system: string, concurrency: number, ms: number): Promise<LoadReply> {
  const found = sessions.get(system)
  if (found === undefined) throw new Error(`${system} is not open`)
  const { asks, close } = await found.session.lanes(concurrency)
  const us: number[] = []
  const start = performance.now()
  const until = start + ms
  await Promise.all(
    asks.map(async (ask) => {
      while (performance.now() < until) {
        const id = (number += 1)
        const body = frame(id, 'tools/call', { name: found.tool, arguments: argsOf(found, id) })
        const asked = performance.now()
        const answer = await ask(id, body)
        us.push(Math.round((performance.now() - asked) * 1000))
        const said = answer.result?.content?.[0]?.text ?? ''
        const isRight = found.code === undefined ? said === echoOf(TEXT, id) : said.includes(echoOf(TEXT, id))
        if (answer.id !== id || !isRight) throw new Error(`${system} answered wrongly: ${JSON.stringify(answer)}`)
      }
    }),
  )
  const took = performance.now() - start
  close()
  return { is: 'loaded', ms: took, us }
}

function argsOf({ code }: Opened, number: number): object {
  const args = { text: TEXT, number }
  return code === undefined ? args : { code: codeOf(code, args) }
}

async function carryOut(order: Order): Promise<LoadReply> {
  if (order.order === 'open') return open(order.system, order.target)
  if (order.order === 'load') return load(order.system, order.concurrency, order.ms)
  sessions.get(order.system)?.session.close()
  sessions.delete(order.system)
  return { is: 'done' }
}

process.on('message', (order: Order) => {
  carryOut(order)
    .catch((error: unknown): LoadReply => ({
      is: 'failed',
      says: error instanceof Error ? error.message : String(error),
    }))
    .then((reply) => process.send?.(reply))
    .catch(() => process.exit(1))
})
