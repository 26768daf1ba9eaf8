import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentState } from '../../src/guests/agent/state.ts'
import { isEndedRun } from '../../src/kernel/contract/run.ts'
import { IS_WHOLE } from '../some-of.ts'
import { message, OWNERS, type Owner } from './signal-owners.ts'
import { SignalModel, type Action, type ModelRun } from './signal-model.ts'

/**
 * Random orders of everything that can happen to a call and to the run that made it: decisions, edits, expiries, retries,
 * settlements, cancellations, messages, crashes and take-overs, between any two steps of the driver and of its performers.
 */
const scenario = fc.record({
  choices: fc.array(fc.nat(1_000), { maxLength: 160, size: 'max' }),
  luck: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 40, size: 'max' }),
  crashes: fc.nat(3),
  /** How much more often the gate works than somebody interferes. */
  pace: fc.integer({ min: 1, max: 5 }),
})
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never

/** Of a thousand choices. */
const PAUSES = 60
/** Enough for everything that is open to come to rest. */
const MOST_STEPS = 3_000

class Play {
  readonly model: SignalModel
  readonly owner: ModelRun
  readonly kind: string
  readonly story: string[] = []
  readonly #pace: number
  #crashes: number
  #messages = 1

  constructor(owner: Owner, { luck, crashes, pace }: Scenario) {
    let thrown = 0
    this.model = new SignalModel(owner.work, (below) => (luck[thrown++ % luck.length] ?? 0) % below)
    this.owner = this.model.begin(owner.kind, { state: owner.state })
    this.kind = owner.kind
    this.#crashes = crashes
    this.#pace = pace
    this.model.send(this.owner, owner.first)
  }

  act({ name, act }: Action): void {
    this.story.push(name)
    act()
  }

  possible(): Action[] {
    const work = this.model.machine()
    return [
      ...Array.from({ length: this.#pace }, () => work).flat(),
      ...this.model.time(),
      ...this.model.people(),
      ...this.model.people(),
      ...this.#cancellations(),
      ...this.#conversation(),
      ...(this.#crashes > 0 ? [{ name: 'crash', act: () => this.#crash() }] : []),
    ]
  }

  #crash(): void {
    this.#crashes -= 1
    this.model.crash()
  }

  #cancellations(): Action[] {
    return this.model.runs.flatMap((run): Action[] =>
      run.cancelled === 'no' && !isEndedRun(run.row)
        ? [{ name: `cancel ${run.row.kind}`, act: () => this.model.cancel(run) }]
        : [],
    )
  }

  #conversation(): Action[] {
    if (this.kind !== 'agent' || this.#messages > 3 || isEndedRun(this.owner.row)) return []
    return [
      { name: 'message', act: () => this.model.send(this.owner, message(this.#messages++)) },
      { name: 'agent.cancel', act: () => this.model.send(this.owner, { type: 'agent.cancel', by: 'user:ana' }) },
    ]
  }

  /** Lets the machine work until nothing is left to do, without anybody's help. */
  rest(): void {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const possible = this.model.machine()
      // In turn: a performer may wait for what another action does.
      const next = possible[steps % possible.length]
      if (next === undefined) return
      this.act(next)
    }
    throw new Error(`it never came to rest: ${this.story.slice(-20).join(', ')}`)
  }

  /** Everything that was ordered has happened, although nobody does anything any more. */
  forgotten(): string[] {
    const calls = [...this.model.calls.values()]
    const isWithdrawn = (run: ModelRun | undefined) => run !== undefined && run.cancelled !== 'no'
    return [
      ...this.model.violations,
      ...calls.flatMap((call) => {
        const { id, state, retry, approval, starts, allowed } = call
        const asked = approval === undefined ? undefined : this.model.approvals.get(approval)
        return [
          ...(state === 'executing' ? [`${id} is still executing`] : []),
          ...(retry ? [`the retry of ${id} was never made`] : []),
          ...(state === 'pending' && asked?.state === 'approved' ? [`${id} is approved and never started`] : []),
          ...(state === 'pending' && (isWithdrawn(call.owner) || isWithdrawn(call.run))
            ? [`${id} still waits for a person although its run was cancelled`]
            : []),
          ...(starts > allowed ? [`${id} started ${starts} times and ${allowed} were allowed`] : []),
        ]
      }),
      ...this.model.runs.flatMap(({ row, performing }) =>
        performing.length > 0 || (isEndedRun(row) && row.executing.length > 0) ? [`${row.kind} left work behind`] : [],
      ),
      ...this.#unanswered(),
    ]
  }

  #unanswered(): string[] {
    if (this.kind !== 'agent' || isEndedRun(this.owner.row)) return []
    const { turns, queue, turn } = this.owner.row.state as unknown as AgentState
    const ended = turns.length
    return ended === this.#messages && queue.length === 0 && turn === null
      ? []
      : [`${this.#messages} messages, and ${ended} were answered`]
  }

  /** People decide and settle everything that is open: then every run ends. */
  settleAll(): void {
    for (let rounds = 0; rounds < 100; rounds += 1) {
      this.rest()
      const next = this.model.people().find(({ name }) => name === 'deny' || name === 'settle')
      if (next === undefined) return
      this.act(next)
    }
  }

  left(): string[] {
    return this.model.runs.flatMap(({ row }) => {
      if (isEndedRun(row)) return []
      if (row.kind !== 'agent') return [`${row.kind} is \`${row.status}\` and waits for ${row.waits_for ?? 'nothing'}`]
      const { node, awaiting_approval } = row.state as unknown as AgentState
      return node === 'END' && !awaiting_approval ? [] : [`the thread rests at ${node}`]
    })
  }
}

describe.each(OWNERS)('a run of the kind `$kind` and its held calls', (owner) => {
  test('forget no decision, retry, settlement, cancellation or message, whatever comes between', () => {
    fc.assert(
      fc.property(scenario, (asked) => {
        const play = new Play(owner, asked)
        for (const choice of asked.choices) {
          // Now and then nothing more happens: later signals must not hide that an earlier one was forgotten.
          if (choice < PAUSES) {
            play.rest()
            expect(play.forgotten(), play.story.join(', ')).toEqual([])
          }
          const possible = play.possible()
          const next = possible[choice % possible.length]
          if (next !== undefined) play.act(next)
        }
        play.rest()
        expect(play.forgotten(), play.story.join(', ')).toEqual([])
        play.settleAll()
        expect([...play.forgotten(), ...play.left()], play.story.join(', ')).toEqual([])
      }),
      { numRuns: Number(process.env['RUNS'] ?? (IS_WHOLE ? 5_000 : 400)) },
    )
  })
})
