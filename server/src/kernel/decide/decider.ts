import type { Call } from '../contract/call.ts'
import type { Caller } from '../contract/caller.ts'
import type { Opinion } from '../contract/verdict.ts'
import type { ArgumentSpan } from '../consents/states-value.ts'
import type { Policy } from '../policy/policy.ts'
import type { Facts, FilledFacts } from './facts.ts'

/** What many calls have in common. Plans are made from it. */
export type Subject = {
  readonly policy: Policy
  readonly caller: Pick<Caller, 'id' | 'user' | 'kind'>
  readonly tool: Facts['tool']
  readonly tags: Facts['tags'] | undefined
  readonly lane: Facts['lane'] | undefined
}

export type PlannedJudge = (call: Call, facts: Facts) => readonly Opinion[]

/**
 * Gives opinions on calls. The kernel has its own deciders, and guests bring more.
 * INVARIANT: `plan(subject)` has the same opinions as `judge` on every call of that subject (law in plan.test.ts). A decider with a
 * plan judges by making one, so that its rules are written once.
 */
export type Decider = {
  /** The `decider` of its opinions. */
  readonly name: string
  /** Where its opinions stand in the evidence: the lowest first. */
  readonly rank: number
  /** Its opinions count in observe mode too. */
  readonly enforced_in_observe?: true
  /** Its rules about the gate's own files and credentials. Their blocks are enforced in every mode and are critical findings. */
  readonly protects_gate?: readonly string[]
  /** A call that it blocks is a trap: its caller is stopped until an admin lifts the pause. */
  readonly stops_caller?: true
  /** It also judges what is read: resources, prompts and completions. */
  readonly judges_reads?: true
  judge(policy: Policy, call: Call, facts: Facts): readonly Opinion[]
  /** Undefined: it has no opinion on any call of this subject. */
  plan?(subject: Subject): PlannedJudge | undefined
  /** For arguments that the gate filled in itself: what applies to them whatever the policy says. */
  judgeFilled?(call: Call, facts: FilledFacts): readonly Opinion[]
  /** The ask of this decider that a consent may cover. Consents cover no other asks, except those of the policy. */
  readonly coverable?: CoverableAsk
}

/** Whether it blocks a call because of the gate's own files or credentials. */
export const blocksForGate = ({ effect, rule }: Opinion, deciders: readonly Decider[]): boolean =>
  effect === 'block' && deciders.some(({ protects_gate }) => protects_gate?.includes(rule) === true)

export type CoverableAsk = {
  readonly rule: string
  /** The places in the arguments that the ask is about. Only a consent that states all their values covers it; none does if they are `unknown`. */
  places(facts: Facts): readonly ArgumentSpan[] | 'unknown'
  /** Why a consent does not cover it: the rest of a sentence. */
  readonly says: string
}
