import type { Config } from '../../contract/config.ts'
import { ok, type Result } from '../../contract/problems.ts'
import { compileBudget } from '../../decide/budgets.ts'
import { KERNEL_DECIDERS } from '../../decide/deciders.ts'
import type { FindSources, Judgement, Judging, SettingsReader, Fact } from '../../decide/judging.ts'
import { unreadSessions } from '../../ports/sessions.ts'
import { budgetFacts } from '../../decide/facts/budget-facts.ts'
import { historyFact } from '../../decide/facts/history-fact.ts'
import { countApprovers } from '../../identity/count-approvers.ts'
import { visibleText } from '../../contract/visible-text.ts'
import { validateAgainst } from '../../json/validate-args.ts'
import type { Scanner } from '../../ports/scanner.ts'

export async function loadJudgement(
  config: Config,
  judgings: readonly Judging[],
  reader: SettingsReader,
): Promise<Result<Judgement>> {
  const compiled: Partial<Judgement> = {}
  for (const { settings } of judgings) {
    const own = await settings?.(config, reader)
    if (own?.ok === false) return own
    Object.assign(compiled, own?.value)
  }
  const { servers, repetition } = config
  const budgets = config.budgets.map(compileBudget)
  // Fields that only a guest declares are set by its own settings.
  const judgement = { scanner: plainScanner, ...judgingOf(judgings), servers, repetition, budgets, ...compiled }
  return ok(judgement as Judgement)
}

function judgingOf(judgings: readonly Judging[]) {
  const commandReaders = judgings.flatMap(({ commandOf }) => commandOf ?? [])
  const askers = judgings.flatMap(({ asksOf }) => asksOf ?? [])
  const finders = judgings.flatMap(({ sourcesOf }) => sourcesOf ?? [])
  return {
    deciders: [...KERNEL_DECIDERS, ...judgings.flatMap(({ deciders = [] }) => deciders)].toSorted(
      (one, other) => one.rank - other.rank,
    ),
    facts: [...KERNEL_FACTS, ...judgings.flatMap(({ facts = [] }) => facts)],
    commandOf: firstOf(commandReaders),
    asksOf: firstOf(askers),
    openSessions: judgings.find(({ openSessions }) => openSessions !== undefined)?.openSessions ?? unreadSessions,
    runConsents: judgings.flatMap(({ readRunConsent }) => readRunConsent ?? []),
    sourcesOf: async (...asked: Parameters<FindSources>) =>
      (await Promise.all(finders.map((find) => find(...asked)))).flat(),
  } satisfies Partial<Judgement>
}

/** One function that gives the first answer of several. */
function firstOf<Asked extends readonly unknown[], Answer>(
  functions: readonly ((...asked: Asked) => Answer | undefined)[],
): (...asked: Asked) => Answer | undefined {
  return (...asked) => {
    for (const one of functions) {
      const answer = one(...asked)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}

/** The kernel's facts that may have to be read. Those of guests follow. */
const KERNEL_FACTS: readonly Fact[] = [
  // Only presets use this number, and only for critical risk.
  { name: 'approvers', gather: (deps, _, { risk }) => (risk === 'critical' ? countApprovers(deps) : undefined) },
  { name: 'budgets', gather: budgetFacts, neutral: [] },
  {
    name: 'history',
    gather: historyFact,
    neutral: { rejections: [], earlier: 0, limits: { most: 5, within_s: 600, denied_for: 86_400 } },
  },
]

/** For a gate without the guest that searches texts: nothing is found, and nothing is hidden. */
const plainScanner: Scanner = {
  shownArgs: (canonical_args) => ({ args: canonical_args, hidden: [] }),
  hiddenInPreview: () => [],
  redact: (value) => value,
  redactOwn: (value) => value,
  visible: visibleText,
  validate: validateAgainst,
}
