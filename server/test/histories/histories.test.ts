import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/kernel/contract/json.ts'
import type { RunEvent } from '../../src/kernel/contract/run.ts'
import { RUN_KINDS } from '../run-kinds.ts'

type History = { name: string; start: Json; events: RunEvent[]; effects: string[]; end: Json }
type Recorded = { kind: string; release: string; histories: History[] }

const recorded = globSync('*.json', { cwd: import.meta.dirname }).map(
  (file) => JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as Recorded,
)

/** Effects of earlier releases that are part of a step now: recording the end of a toolflow. */
const isNowPartOfAStep = (key: string) => key.endsWith('/FINAL')

/** Journals of runs of earlier releases: this release must reach the same effects and the same end. */
describe.each(recorded)('$kind as recorded by $release', ({ kind, histories }) => {
  test.each(histories)('$name', ({ start, events, effects, end }) => {
    const step = RUN_KINDS.get(kind)?.step
    if (step === undefined) throw new Error(`no run kind is called ${kind} any more`)
    let state = start
    const keys: string[] = []
    for (const event of events) {
      const next = step(state, event)
      state = next.state
      keys.push(...next.effects.map(({ key }) => key))
    }
    expect({ keys, state }).toEqual({ keys: effects.filter((key) => !isNowPartOfAStep(key)), state: end })
  })
})
