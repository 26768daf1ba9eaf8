import type { AuditDraft } from '../contract/audit.ts'
import type { PolicyFault, PolicyWarning } from '../contract/policy.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { spellFault } from './policy-faults.ts'
import type { Policy } from './policy.ts'
import { refuseUnrecorded } from '../changes/unrecorded.ts'
import { compileText, loadPolicy, type PolicyText } from './load-policy.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { Committed, Ledger } from '../ports/ledger.ts'
import type { Clock, Digest, Ids } from '../ports/runtime.ts'

/** The policy as it is on disk now, or why it cannot be read. */
export type PolicyRead =
  { readonly ok: true; readonly value: PolicyText } | { readonly ok: false; readonly faults: readonly PolicyFault[] }

export type LivePolicyPorts = {
  readonly digest: Digest
  readonly clock: Clock
  readonly ids: Pick<Ids, 'trace'>
  readonly ledger: Ledger
  /** Conditions are checked against the schemas of the currently known tools. */
  readonly catalogue: Catalogue
  readonly read: () => PolicyRead
  /** Guests that protect calls and that this build does not have: what the gate judges without. */
  readonly missing_guards?: readonly string[]
}

/** What made the gate read its policy again. */
export type ReloadReason = 'start' | 'file' | 'signal' | 'request' | 'catalogue' | 'node'
export type Reloaded = { readonly version: string; readonly before: string; readonly changed: boolean }

/** The active policy: a value that a reload replaces as a whole, or not at all. */
export type LivePolicy = {
  current(): Policy
  since(): number
  /** Set from a rejected reload until a successful one. */
  warning(): PolicyWarning | undefined
  /** Reads and compiles again. A policy with a mistake changes only the warning. Reloads happen one after the other. */
  reload(because: ReloadReason, by?: string): Promise<Result<Reloaded>>
}

type Trigger = { readonly because: ReloadReason; readonly by: string }

const GATE = 'gate'
const MOST_FAULTS = 20
const SAYS = {
  mistakes: 'the policy file has mistakes and was not loaded; the previous policy stays in force',
  schemas: 'the policy in force does not match the schemas of the tools; it stays in force',
  record:
    'the new policy could not be recorded, so the previous one stays in force; reload it when the audit can be written',
} as const

/**
 * Opens the first policy, which must be valid by itself: a gate does not start without one. Whether it also matches the tools'
 * schemas is reported by a warning, because a tool server must not be able to prevent the gate from starting.
 * INVARIANT: a policy that replaces another one was compiled without a fault and is recorded.
 */
export async function openLivePolicy(deps: LivePolicyPorts, first: PolicyText): Promise<Result<LivePolicy>> {
  const compiled = loadPolicy(deps.digest, first)
  if (!compiled.ok) return compiled
  let policy = compiled.value
  let since = deps.clock()
  let warning: PolicyWarning | undefined
  let queue: Promise<unknown> = Promise.resolve()

  /** An existing warning is not reported again, however often the file is read. */
  async function note(says: string, refused: string | undefined, faults: readonly PolicyFault[], trigger: Trigger) {
    const next: PolicyWarning = {
      code: 'policy.refused',
      at: deps.clock(),
      says,
      in_force: policy.version,
      ...(refused === undefined ? {} : { refused }),
      faults: faults.slice(0, MOST_FAULTS),
    }
    if (warning !== undefined && textOf(warning) === textOf(next)) return
    warning = next
    const about = { in_force: policy.version, refused: refused ?? null, faults: next.faults.map(spellFault) }
    await record(deps, 'policy.refused', policy.file, trigger, about)
  }

  async function refused(faults: readonly PolicyFault[], version: string | undefined, trigger: Trigger) {
    await note(version === policy.version ? SAYS.schemas : SAYS.mistakes, version, faults, trigger)
    return refuse('policy.refused', { faults: faults.map(spellFault).join('\n'), in_force: policy.version })
  }

  async function take(next: Policy, trigger: Trigger): Promise<Result<Reloaded>> {
    const { version: before } = policy
    const { version, file, preset, mode, operator } = next
    const changed = version !== before || file !== policy.file
    if (changed || warning !== undefined) {
      const about = { version, before, preset, mode, rules: operator.rules.length }
      const recorded = await record(deps, 'policy.loaded', file, trigger, about)
      if (recorded !== 'committed') {
        await note(SAYS.record, version, [], trigger)
        return refuseUnrecorded(recorded)
      }
    }
    if (changed) since = deps.clock()
    policy = next
    warning = undefined
    return ok({ version, before, changed })
  }

  function load(text: PolicyText, trigger: Trigger): Promise<Result<Reloaded>> {
    const again = compileText(deps.digest, text, deps.catalogue)
    return again.ok ? take(again.value, trigger) : refused(again.faults, deps.digest(text.text), trigger)
  }

  const { version, file, preset, mode, operator } = policy
  const { missing_guards = [] } = deps
  const without = missing_guards.length === 0 ? {} : { without: [...missing_guards] }
  const started = { version, before: null, preset, mode, rules: operator.rules.length, ...without }
  await record(deps, 'policy.loaded', file, { because: 'start', by: GATE }, started)
  await load(first, { because: 'catalogue', by: GATE })
  return ok({
    current: () => policy,
    since: () => since,
    warning: () => warning,
    reload(because, by = GATE) {
      const trigger = { because, by }
      const one = queue.then(() => {
        const read = deps.read()
        return read.ok ? load(read.value, trigger) : refused(read.faults, undefined, trigger)
      })
      queue = one.catch(() => undefined)
      return one
    },
  })
}

const textOf = ({ at: _, ...warning }: PolicyWarning): string => JSON.stringify(warning)

async function record(
  deps: LivePolicyPorts,
  type: 'policy.loaded' | 'policy.refused',
  file: string,
  { because, by }: Trigger,
  about: NonNullable<AuditDraft['about']>,
): Promise<Committed> {
  const at = deps.clock()
  const trace = deps.ids.trace()
  const entry = { at, type, actor: by, trace, subject: { policy: file }, about: { because, ...about } }
  return deps.ledger.commit([{ kind: 'audit', entry }])
}
