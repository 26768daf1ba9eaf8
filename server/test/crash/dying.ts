import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyLive } from '../live-files.ts'
import { built } from '../built/built.ts'
import type { ProbePoint } from '../../src/kernel/ports/runtime.ts'

/** Where a gate dies, when it reaches it for the nth time. */
export type Kill = { readonly at: string; readonly nth?: number }

/** Given to what a gate does until it dies: `reach` is its probe, and counts once `arm` was called. */
export type Dying = { readonly reach: (place: string) => void; readonly arm: () => void }

/** What a gate does, from opening it until closing it. A script exports it as `live`. */
export type Scenario<Order> = (order: Order, dying: Dying) => Promise<unknown>

/** Calls `at` with the number of each visit. */
export function counting(
  at: (place: string, nth: number) => void,
): Dying & { readonly seen: ReadonlyMap<string, number> } {
  const seen = new Map<string, number>()
  let isArmed = false
  return {
    seen,
    arm: () => void (isArmed = true),
    reach(place) {
      if (!isArmed) return
      const nth = (seen.get(place) ?? 0) + 1
      seen.set(place, nth)
      at(place, nth)
    },
  }
}

/** The arguments of node for a gate in a process of its own, which dies by SIGKILL there, or lives to the end. */
export const dyingWords = (script: string, kill: Kill | undefined, order: unknown): readonly string[] => [
  built(join(import.meta.dirname, 'dying-gate.ts')),
  JSON.stringify({ script: built(script), kill, order }),
]

export type Died = { readonly signal: string | null; readonly out: string; readonly err: string }

/** Its work takes seconds; a gate that hangs is a finding. */
const LONGEST_MS = 180_000

export function dieIn(script: string, kill: Kill | undefined, order: unknown): Promise<Died> {
  const child = spawn(process.execPath, dyingWords(script, kill, order), { stdio: ['ignore', 'pipe', 'pipe'] })
  const died = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (died.out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (died.err += text))
  const late = setTimeout(() => {
    died.err += `the gate was still working after ${LONGEST_MS / 1000} s`
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), 10_000).unref()
  }, LONGEST_MS)
  return new Promise((resolve) =>
    child.on('close', (_code, signal) => {
      clearTimeout(late)
      resolve({ ...died, signal })
    }),
  )
}

/** What a kill at a visit of a point would have left on the disk. */
export type Left = { readonly point: ProbePoint; readonly nth: number; readonly folder: string }

/**
 * Lets a gate live in this process, and keeps a copy of its folder at each visit of a point: between two commits nothing else is
 * written, so a copy is what a kill leaves (law in crash.test.ts).
 */
export async function leftBy(
  folder: string,
  live: (dying: Dying) => Promise<unknown>,
  isWanted: (point: string, nth: number) => boolean = () => true,
): Promise<readonly Left[]> {
  const left: Left[] = []
  await live(
    counting((point, nth) => {
      if (!isWanted(point, nth)) return
      const copy = `${folder}-${left.length}`
      copyLive(folder, copy)
      left.push({ point: point as ProbePoint, nth, folder: copy })
    }),
  )
  return left
}

/** A folder for gates that die, and for what they leave. */
export const graveyard = (): string => mkdtempSync(join(tmpdir(), 'sluice-crash-'))
