import type { CallState } from '../../src/kernel/contract/call.ts'
import type { ApprovalId, CallId, RunId } from '../../src/kernel/contract/ids.ts'
import type { Json, JsonObject } from '../../src/kernel/contract/json.ts'
import { isEndedRun, type RunEffect, type RunEvent, type RunKind, type RunRow } from '../../src/kernel/contract/run.ts'
import { advanceRun, dueTimers, nextTimer } from '../../src/kernel/runs/advance-run.ts'
import { beginRun } from '../../src/kernel/runs/begin-run.ts'
import { holdCall, parkCall } from '../../src/kernel/attempt/held-call.ts'
import { RUN_KINDS } from '../run-kinds.ts'

/**
 * A small model of the ledger, its commands and the driver: calls, approvals, runs with their journals, and performers that can be
 * overtaken at every `yield`. The steps are those of the product. Everything that happens is one entry of `actions`, so a test
 * chooses the order.
 */
export type ModelCall = {
  readonly id: CallId
  readonly owner: ModelRun
  readonly idempotent: boolean
  state: CallState
  approval: ApprovalId | undefined
  retry: boolean
  run: ModelRun | undefined
  boot: number
  version: number
  starts: number
  allowed: number
}
type Approval = { state: 'pending' | 'approved' | 'used' | 'closed' | 'edited'; readonly call: ModelCall }
export type Performing = { readonly effect: RunEffect; aborted: boolean; readonly work: Work; result?: RunEvent }
/** A performer: whatever may happen in between happens at a `yield`. */
export type Work = Generator<undefined, RunEvent, undefined>
export type ModelRun = {
  row: RunRow
  readonly journal: RunEvent[]
  performing: Performing[]
  /** Keys that its steps asked to cancel. */
  readonly to_cancel: Set<string>
  /** A `run.cancel` was sent, or was read by a step. */
  cancelled: 'no' | 'sent' | 'read'
}
export type Action = { readonly name: string; readonly act: () => void }
export type OwnerWork = (model: SignalModel, run: ModelRun, performing: Performing) => Work

const CALLER = { kind: 'agent', id: 'agent:a', user: 'ana' } as const
const FINAL: readonly CallState[] = ['executed', 'failed', 'refused']
const END = { executed: 0, failed: 1, unknown: 2 } as const
const hex = (value: number, width: number): string => value.toString(16).padStart(width, '0')

export class SignalModel {
  now = 1_000
  boot = 1
  readonly runs: ModelRun[] = []
  readonly calls = new Map<string, ModelCall>()
  readonly approvals = new Map<ApprovalId, Approval>()
  readonly violations: string[] = []
  readonly #work: OwnerWork
  readonly #flip: (below: number) => number
  /** `flip`: a random outcome that the model does not decide, such as whether a call is held. */
  constructor(work: OwnerWork, flip: (below: number) => number) {
    this.#work = work
    this.#flip = flip
  }

  begin(kind: string, first: { readonly state: Json; readonly timers?: Record<string, number | null> }): ModelRun {
    const run_id: RunId = `run_${hex(this.runs.length, 16)}`
    const known = kindOf(kind)
    const run: ModelRun = {
      row: beginRun(known, run_id, first, this.now),
      journal: [],
      performing: [],
      to_cancel: new Set(),
      cancelled: 'no',
    }
    this.runs.push(run)
    return run
  }

  send(run: ModelRun | undefined, event: RunEvent): void {
    run?.journal.push(event)
  }

  cancel(run: ModelRun): void {
    run.cancelled = 'sent'
    this.send(run, { type: 'run.cancel', by: 'user:ana' })
  }

  /** The call made for this key, or a new one; judged once. */
  *dispatch(owner: ModelRun, key: string, performing: Performing): Generator<undefined, ModelCall, undefined> {
    yield
    const known = this.calls.get(key)
    if (known !== undefined) return known
    if (owner.cancelled === 'read' && !performing.aborted && owner.to_cancel.has(performing.effect.key))
      this.violations.push(`${key} was sent although its run had cancelled it`)
    const call = this.#newCall(owner, key)
    if (this.#flip(2) === 0) this.#hold(call)
    else {
      call.state = 'executing'
      call.starts += 1
      yield
      if (performing.aborted) this.#set(call, 'failed')
      else this.#finish(call)
    }
    return call
  }

  #newCall(owner: ModelRun, key: string): ModelCall {
    const call: ModelCall = {
      id: `call_${hex(this.calls.size, 24)}`,
      owner,
      idempotent: this.#flip(3) === 0,
      state: 'pending',
      approval: undefined,
      retry: false,
      run: undefined,
      boot: this.boot,
      version: 1,
      starts: 0,
      allowed: 1,
    }
    this.calls.set(key, call)
    return call
  }

  #request(call: ModelCall): ApprovalId {
    const id: ApprovalId = `auth_${hex(this.approvals.size, 16)}`
    this.approvals.set(id, { state: 'pending', call })
    call.approval = id
    return id
  }

  #hold(call: ModelCall): void {
    call.run = this.begin(
      'held-call',
      holdCall({ call_id: call.id, caller: CALLER }, this.#request(call), this.now + 10),
    )
  }

  /** Changes a call's state. Its run receives the event in the same commit, as `runEvents` does. */
  #set(call: ModelCall, state: CallState): void {
    call.state = state
    call.version += 1
    if (FINAL.includes(state) || state === 'unknown')
      this.send(call.owner, { type: 'call.ended', call_id: call.id, state })
  }

  #finish(call: ModelCall): void {
    const chosen = this.#flip(6)
    this.#set(call, chosen === END.failed ? 'failed' : chosen === END.unknown ? 'unknown' : 'executed')
  }

  #retry(call: ModelCall): void {
    call.retry = true
    call.allowed += 1
    call.version += 1
    call.run ??= this.begin('held-call', parkCall({ call_id: call.id, caller: CALLER }))
    this.send(call.run, { type: 'call.retried' })
  }

  #interrupt(call: ModelCall): void {
    this.#set(call, 'unknown')
    if (call.idempotent) this.#retry(call)
  }

  #close(call: ModelCall, approval: Approval, outcome: string): void {
    approval.state = 'closed'
    this.send(call.run, { type: 'approval.closed', outcome })
    this.#set(call, 'refused')
  }

  *#resume(call: ModelCall): Work {
    for (;;) {
      yield
      const { state, version } = call
      const approval = call.approval === undefined ? undefined : this.approvals.get(call.approval)
      const isReady = state === 'pending' ? approval?.state === 'approved' : state === 'unknown' && call.retry
      // The rechecks take a while, and so does the way of a result to the run.
      yield
      if (!isReady && state !== 'executing') return { type: 'effect.done', outcome: state }
      if (!isReady || version !== call.version) continue
      if (approval?.state === 'approved') approval.state = 'used'
      call.retry = false
      call.boot = this.boot
      call.starts += 1
      this.#set(call, 'executing')
      yield
      this.#finish(call)
      const outcome = call.state
      yield
      return { type: 'effect.done', outcome }
    }
  }

  *#withdraw(call: ModelCall): Work {
    for (;;) {
      yield
      const approval = call.approval === undefined ? undefined : this.approvals.get(call.approval)
      if (call.state !== 'pending' || approval === undefined) return { type: 'effect.done', outcome: call.state }
      if (approval.state === 'approved') return { type: 'effect.done', outcome: 'approved' }
      if (approval.state === 'pending') this.#close(call, approval, 'withdrawn')
    }
  }

  *#expire(id: ApprovalId): Work {
    yield
    const approval = this.approvals.get(id)
    if (approval?.state === 'pending') this.#close(approval.call, approval, 'expired')
    const was = approval?.state === 'used' ? 'consumed' : approval?.state === 'closed' ? 'expired' : approval?.state
    yield
    return { type: 'effect.done', outcome: was ?? 'expired' }
  }

  #perform(run: ModelRun, effect: RunEffect): void {
    const details = effect.with as { readonly call_id?: CallId; readonly approval_id?: ApprovalId }
    const call = [...this.calls.values()].find(({ id }) => id === details.call_id)
    const aborted = run.row.cancelling?.includes(effect.key) === true
    const performing: Performing = { effect, aborted, work: nothing() }
    const work =
      effect.kind === 'resume_call' && call !== undefined
        ? this.#resume(call)
        : effect.kind === 'withdraw_call' && call !== undefined
          ? this.#withdraw(call)
          : effect.kind === 'expire_approval' && details.approval_id !== undefined
            ? this.#expire(details.approval_id)
            : this.#work(this, run, performing)
    run.performing.push(Object.assign(performing, { work }))
  }

  #goOn(run: ModelRun, performing: Performing): void {
    if (run.to_cancel.has(performing.effect.key) && !performing.aborted)
      this.violations.push(`${performing.effect.key} continues although its run has cancelled it`)
    const next = performing.work.next()
    if (next.done === true) performing.result = next.value
  }

  /** One step of the driver: unread events, then results and ends that were missed, then timers, in one commit. */
  #drive(run: ModelRun): void {
    const { row } = run
    const unread = run.journal.slice(row.cursor)
    const ended = run.performing.flatMap(({ effect, result }) =>
      result === undefined ? [] : [{ ...result, key: effect.key }],
    )
    const made = [...ended, ...this.#missed([...unread, ...ended]), ...dueTimers(row, this.now)]
    run.journal.push(...made)
    const kind = kindOf(row.kind)
    const advanced = advanceRun(this.#watched(run, kind), row, [...unread, ...made], {
      now: this.now,
      boot: String(this.boot),
    })
    run.row = advanced.row
    const open = new Set(advanced.row.executing.map(({ key }) => key))
    run.performing = run.performing.filter(({ effect }) => open.has(effect.key))
    for (const one of run.performing) if (advanced.cancelled.includes(one.effect.key)) one.aborted = true
    for (const effect of advanced.begun) this.#perform(run, effect)
  }

  /** Notes what the steps ask for, whether or not it happens. */
  #watched(run: ModelRun, kind: RunKind): RunKind {
    return {
      ...kind,
      step: (state, event) => {
        const next = kind.step(state, event)
        for (const key of next.cancel ?? []) run.to_cancel.add(key)
        if (event.type === 'run.cancel') run.cancelled = 'read'
        else if (run.cancelled === 'read' && next.effects.some((effect) => isCall(effect)))
          this.violations.push(`${run.row.kind} began a call after its run was cancelled`)
        return next
      },
    }
  }

  #missed(results: readonly RunEvent[]): RunEvent[] {
    return results.flatMap(({ call }) => {
      const { call_id, status } = (call ?? {}) as JsonObject
      const known = [...this.calls.values()].find(({ id }) => id === call_id)
      const isOpen = status === 'pending' || status === 'executing' || status === 'unknown'
      if (known === undefined || !isOpen || known.state === status) return []
      if (!FINAL.includes(known.state) && known.state !== 'unknown') return []
      return [{ type: 'call.ended', call_id: known.id, state: known.state }]
    })
  }

  /** The process dies. Its successor starts what is marked again: nothing here may not be repeated. */
  crash(): void {
    this.boot += 1
    for (const run of this.runs) {
      run.performing = []
      for (const effect of run.row.executing) this.#perform(run, effect)
    }
  }

  /** What can happen without a person. */
  machine(): Action[] {
    const driven = this.runs.flatMap((run): Action[] => {
      const isDue = run.journal.length > run.row.cursor || dueTimers(run.row, this.now).length > 0
      const hasNews = isDue || run.performing.some(({ result }) => result !== undefined)
      if (isEndedRun(run.row) || !hasNews) return []
      return [{ name: `drive ${run.row.kind}`, act: () => this.#drive(run) }]
    })
    const performed = this.runs.flatMap((run) =>
      run.performing.flatMap((one): Action[] =>
        one.result === undefined ? [{ name: `perform ${one.effect.key}`, act: () => this.#goOn(run, one) }] : [],
      ),
    )
    const recovered = [...this.calls.values()].flatMap((call): Action[] =>
      call.state === 'executing' && call.boot !== this.boot
        ? [{ name: `recover ${call.id}`, act: () => this.#interrupt(call) }]
        : [],
    )
    return [...driven, ...performed, ...recovered]
  }

  time(): Action[] {
    const next = Math.min(
      ...this.runs.filter(({ row }) => !isEndedRun(row)).map(({ row }) => nextTimer(row) ?? Infinity),
    )
    return next > this.now && next < this.now + 1_000
      ? [{ name: 'time passes', act: () => void (this.now = next) }]
      : []
  }

  people(): Action[] {
    const decide = [...this.approvals].flatMap(([approval_id, approval]): Action[] => {
      const { call, state } = approval
      if (state !== 'pending') return []
      return [
        {
          name: 'approve',
          act: () => {
            approval.state = 'approved'
            this.send(call.run, { type: 'approval.approved', approval_id })
          },
        },
        { name: 'deny', act: () => this.#close(call, approval, 'denied') },
        {
          name: 'edit',
          act: () => {
            approval.state = 'edited'
            const edited = { type: 'approval.edited', approval_id: this.#request(call), expires_at: this.now + 10 }
            call.version += 1
            this.send(call.run, edited)
          },
        },
      ]
    })
    return [...decide, ...this.settlements()]
  }

  settlements(): Action[] {
    const open = [...this.calls.values()].filter(({ state, retry }) => state === 'unknown' && !retry)
    return open.flatMap((call): Action[] => [
      { name: 'retry', act: () => this.#retry(call) },
      {
        name: 'settle',
        act: () => {
          this.send(call.run, { type: 'call.settled' })
          this.#set(call, 'failed')
        },
      },
    ])
  }
}

const isCall = ({ kind }: RunEffect): boolean =>
  ['agent_call', 'toolflow_dispatch', 'flow_call', 'workflow_tool'].includes(kind)

function* nothing(): Work {
  yield
  return { type: 'effect.done' }
}

function kindOf(name: string): RunKind {
  const kind = RUN_KINDS.get(name)
  if (kind === undefined) throw new Error(`no kind is called \`${name}\``)
  return kind
}
