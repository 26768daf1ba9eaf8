import { writeSync } from 'node:fs'
import { BOOK_TOOLS, openTestGate } from '../helpers/with-gate.ts'
import { CRASH_POLICY } from './crash-policy.ts'
import type { Scenario } from './dying.ts'

export type DyingReads = {
  readonly folder: string
  readonly clients: number
  /** The writing thread, if it is not the usual one. */
  readonly writer?: string
}

/** A read that the tool server logs, so that requests can be counted. */
export const READING_TOOLS = { tools: { ...BOOK_TOOLS, slow_note: { effects: ['read'] } } }

/** A gate whose clients read without pause and print what they were answered, until it dies. */
export const live: Scenario<DyingReads> = async ({ folder, clients, writer }, { reach, arm }) => {
  arm()
  const rig = await openTestGate(folder, {
    policy: CRASH_POLICY,
    server: READING_TOOLS,
    ...(writer === undefined ? {} : { writer: new URL(writer) }),
    probe: reach,
  })
  const client = async (name: number) => {
    for (let number = 1; ; number += 1) {
      const text = `${name}-${number}`
      // Long enough for everything that is done now and then, such as noting the newest entry.
      const ms = number % 8 === 0 ? 300 : 0
      const outcome = await rig.call('book__slow_note', { text, ms }, { thread: `t${name}` })
      if (outcome.status !== 'executed') throw new Error(JSON.stringify(outcome))
      writeSync(1, `answered ${text}\n`)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, name) => client(name)))
}
