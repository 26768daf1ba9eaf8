import type { ReadBack } from '../contract/standard.ts'
import type { Tool } from '../contract/tool.ts'
import { sayExpectation } from './expectations.ts'
import type { Sources } from './fill-template.ts'
import { NO_ROLLBACK, rollbackOf, type CouldRun, type Siblings } from './rollback-of.ts'

/** The four parts of an execution as sentences, and which of them a tool lacks. */
export type StandardSentences = {
  readonly rollback: string
  readonly check: string
  readonly verify: string
  readonly missing: readonly string[]
}

const NO_DRY_RUN = 'no dry run'
const NO_READ_BACK = 'no read-back'

/** With a call's arguments the rollback is filled in; without them it is shown as declared. */
export function describeStandard(
  tool: Tool | undefined,
  siblings: Siblings,
  couldRun: CouldRun,
  sources: Sources = {},
): StandardSentences {
  const rollback =
    tool?.rollback === undefined ? NO_ROLLBACK : rollbackOf(tool.rollback, siblings, couldRun, sources).says
  const missing = [
    ...(rollback.startsWith(NO_ROLLBACK) ? [NO_ROLLBACK] : []),
    ...(tool?.dry_run === undefined ? [NO_DRY_RUN] : []),
    ...(tool?.verify === undefined ? [NO_READ_BACK] : []),
  ]
  return { rollback, check: sayCheck(tool, siblings), verify: sayVerify(tool, siblings), missing }
}

function sayCheck(tool: Tool | undefined, siblings: Siblings): string {
  const dryRun = tool?.dry_run === undefined ? NO_DRY_RUN : 'has a dry run'
  return tool?.check === undefined ? dryRun : `before it runs, ${sayDemand(tool.check, siblings)}; ${dryRun}`
}

function sayVerify(tool: Tool | undefined, siblings: Siblings): string {
  return tool?.verify === undefined ? NO_READ_BACK : `afterwards ${sayDemand(tool.verify, siblings)}`
}

function sayDemand({ tool, expect }: ReadBack, siblings: Siblings): string {
  return `Sluice checks with ${siblings(tool) ?? tool} that ${expect.map(sayExpectation).join(' and ')}`
}
