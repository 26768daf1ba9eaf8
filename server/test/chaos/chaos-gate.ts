import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LAUNCHER } from '../built/built.ts'
import { runGate } from '../helpers/with-running-gate.ts'
import type { Node } from '../helpers/with-nodes.ts'
import { checked, loggedConfig, type Checked } from './chaos-nodes.ts'
import type { CheckOptions } from './check-history.ts'
import type { History, ClientRecord } from './history.ts'
import { endOpen } from './load-on-nodes.ts'
import { logIn } from './logged-tools.ts'
import { readLedger, readReceipts } from './read-history.ts'
import type { Load } from './soak-load.ts'

const ROUNDS = 40

export type ChaosGate = {
  readonly log: string
  /** The requests of clients and the answers they got. */
  readonly records: ClientRecord[]
  /** The gate that runs, if one does. */
  running(): readonly Node[]
  start(): Promise<Node>
  /** Stops the gate and waits until it has ended. Its data stays. */
  end(signal: NodeJS.Signals): Promise<void>
  /** Restarts the gate until nothing is open, then ends it and checks the history. */
  finish(load: Load, options?: Partial<CheckOptions>): Promise<Checked & { readonly rounds: number }>
  stop(): Promise<void>
}

/** One gate with the embedded store, as a separate process that can be restarted on the same data. */
export async function openChaosGate(
  /** `log`: where tool servers log, if not in a folder of the gate's. */
  setup: { readonly data?: string; readonly log?: string; readonly config?: (log: string) => object } = {},
): Promise<ChaosGate> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chaos-gate-'))
  const log = setup.log ?? logIn(folder)
  const data = setup.data ?? join(folder, 'data')
  const place = join(folder, 'gate')
  mkdirSync(place)
  const text = { ...loggedConfig(log), data, ...setup.config?.(log) }
  writeFileSync(join(place, 'sluice.yaml'), JSON.stringify(text))
  const records: ClientRecord[] = []
  let node: Node | undefined
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const { process: ending } = node ?? {}
    node = undefined
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const ended = once(ending, 'exit')
    ending.kill(signal)
    await ended
  }
  const history = async (): Promise<History> => {
    await end('SIGTERM')
    return { ...(await readLedger({ folder: data })), receipts: readReceipts(log), records }
  }
  const start = async (): Promise<Node> => (node = await runGate(place, ['up', '--trust'], LAUNCHER))
  return {
    log,
    records,
    running: () => (node === undefined ? [] : [node]),
    start,
    end,
    async finish(load, options) {
      let rounds = 1
      for (let found = await history(); rounds <= ROUNDS; rounds += 1) {
        await start()
        if (!(await endOpen(found, load))) break
        await sleep(500)
        found = await history()
      }
      return { ...checked(await history(), options), rounds }
    },
    async stop() {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
