import { loadJudgement } from '../src/kernel/attempt/facts/load-judgement.ts'
import { coverWithConsent as cover } from '../src/kernel/consents/cover-with-consent.ts'
import type { Config } from '../src/kernel/contract/config.ts'
import type { Call } from '../src/kernel/contract/call.ts'
import type { Verdict } from '../src/kernel/contract/verdict.ts'
import { decide as decideWith } from '../src/kernel/decide/decide.ts'
import type { Decider } from '../src/kernel/decide/decider.ts'
import type { Facts } from '../src/kernel/decide/facts.ts'
import { makePlan as makePlanWith, planFor as planWith } from '../src/kernel/decide/plan.ts'
import { UNKNOWN_FILES } from '../src/kernel/ports/files.ts'
import type { Policy } from '../src/kernel/policy/policy.ts'
import { readConfig } from './read-config.ts'
import { partsOf } from '../src/main/guest-parts.ts'
import type { Judgement, SettingsReader } from '../src/kernel/decide/judging.ts'

const JUDGINGS = await partsOf(({ judging }) => judging)

/** What a gate with all guests judges with. */
export async function judgementOf(config: Config, reader: Partial<SettingsReader> = {}): Promise<Judgement> {
  const judgement = await loadJudgement(config, JUDGINGS, {
    secretOf: () => undefined,
    files: UNKNOWN_FILES,
    ...reader,
  })
  if (!judgement.ok) throw new Error(JSON.stringify(judgement.problem))
  return judgement.value
}

const config = readConfig({})
if (!config.ok) throw new Error('an empty configuration is valid')

/** The same without any settings. */
export const JUDGEMENT = await judgementOf(config.value)
export const DECIDERS = JUDGEMENT.deciders

// The functions of the kernel, with the deciders of all guests.
export const decide = (policy: Policy, call: Call, facts: Facts, deciders: readonly Decider[] = DECIDERS): Verdict =>
  decideWith(policy, call, facts, deciders)
export const coverWithConsent = (verdict: Verdict, call: Call, facts: Facts): Verdict =>
  cover(verdict, call, facts, DECIDERS)
export const planFor = (policy: Policy, call: Call, facts: Facts) => planWith(policy, call, facts, DECIDERS)
export const makePlan = (subject: Parameters<typeof makePlanWith>[0], deciders: readonly Decider[] = DECIDERS) =>
  makePlanWith(subject, deciders)
