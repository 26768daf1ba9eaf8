import { join } from 'node:path'
import { startChild } from '../built/start-child.ts'
import { driveGate } from '../../src/main/drive-gate.ts'
import { openPorts } from '../../src/main/open-ports.ts'
import type { AuditEntry } from '../../src/kernel/contract/audit.ts'
import { gateOf, type Gate } from '../helpers/use-gate.ts'
import { settingsIn } from '../helpers/with-gate.ts'

export type Tally = Record<string, number>

/** The audit of all nodes. */
export async function allEntries(gate: Gate): Promise<readonly AuditEntry[]> {
  const { streams } = await gate.audit.verify([])
  const pages = await Promise.all(streams.map(({ stream }) => gate.audit.page(stream, 1, 5000)))
  return pages.flat()
}

/** Starts one process per argument list, releases them all at once, and adds up their results. */
export async function race(script: string, racers: readonly (readonly string[])[]): Promise<Tally> {
  const children = racers.map((words) => {
    const child = startChild(join(import.meta.dirname, script), words)
    return { ready: child.line(), go: () => child.say('go\n'), tally: child.line }
  })
  await Promise.all(children.map(({ ready }) => ready))
  for (const { go } of children) go()
  const total: Tally = {}
  for (const seen of await Promise.all(children.map((child) => child.tally()))) {
    for (const [key, count] of Object.entries(JSON.parse(seen) as Tally)) total[key] = (total[key] ?? 0) + count
  }
  return total
}

/**
 * One of several processes on one store: opens a gate without the folder's lock, prepares, waits for the start signal, makes all its
 * attempts at once, waits until nothing is in progress, and reports how often it saw each outcome.
 */
export async function runRacer(
  folder: string,
  options: Parameters<typeof settingsIn>[1],
  prepare: (gate: Gate) => Promise<readonly (() => Promise<string>)[]>,
): Promise<never> {
  const opened = await openPorts(settingsIn(folder, options), { log: () => {}, url: () => 'http://gate.test' }, false)
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  const { ports: own, settled, close } = opened.value
  const { ports, scheduler } = driveGate(own, (_level, says, about) =>
    process.stderr.write(`${says} ${JSON.stringify(about)}\n`),
  )
  await settled
  const attempts = await prepare(gateOf({ ports }))
  process.stdout.write('ready\n')
  await new Promise((resolve) => process.stdin.once('data', resolve))
  const seen = await Promise.all(attempts.map((attempt) => attempt()))
  await scheduler.idle()
  await scheduler.stop()
  await close()
  const tally: Tally = {}
  for (const key of seen) tally[key] = (tally[key] ?? 0) + 1
  process.stdout.write(`${JSON.stringify(tally)}\n`)
  process.exit(0)
}
