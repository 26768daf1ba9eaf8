import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { WorkflowUsage } from './workflow.ts'
import { parseIJson } from '../../kernel/json/parse-ijson.ts'
import { jsonPart, modelInstructions, modelPrompt, type ModelTask } from './prompts.ts'
import type { WorkflowFound } from './draft.ts'
import type { Judgement } from '../../kernel/attempt/facts/load-judgement.ts'
import type { AgentModels, ModelAnswer, ModelQuestion, ModelRole } from '../../kernel/ports/models.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { Performing } from '../../kernel/runs/performer.ts'
import type { OpenDocument } from './documents.ts'
import { commitWithin, isOver, minuteMeter, type MeterDeps } from './meters.ts'
import { textIn } from './tool-step.ts'

export type ModelStepDeps = MeterDeps & {
  readonly models: AgentModels
  readonly judgement: Pick<Judgement, 'scanner'>
  readonly clock: Clock
}

const ROLES: Readonly<Record<ModelTask, ModelRole>> = {
  parse_input: 'executor',
  summarize: 'finalizer',
  plan: 'planner',
}
const MONTH_MS = 30 * 86_400_000
const MICRO = 1_000_000
/** Characters per token, for a first estimate of a prompt. */
const CHARS_PER_TOKEN = 4

/**
 * One attempt of a model at a step, within the limits of its document. Its answer is data, and counts only if it matches the
 * schema.
 */
export async function askModel(
  deps: ModelStepDeps,
  opened: OpenDocument,
  details: JsonObject,
  { signal }: Pick<Performing, 'signal'>,
): Promise<WorkflowFound | 'later'> {
  const { workflow } = opened.document
  const does = textIn(details, 'does') as ModelTask
  const name = typeof details['schema'] === 'string' ? details['schema'] : undefined
  const schema = name === undefined ? undefined : (workflow.schemas?.[name] as JsonObject | undefined)
  const instructions = modelInstructions(opened.document, does, schema)
  const errors = Array.isArray(details['errors']) ? (details['errors'] as readonly Json[]).map(String) : []
  const prompt = modelPrompt({
    prompt: textIn(details, 'prompt'),
    source: textIn(details, 'source'),
    state: textIn(details, 'state'),
    errors,
  })
  const said = await askWithin(deps, opened, {
    role: ROLES[does],
    purpose: 'document',
    instructions,
    messages: [{ role: 'user', text: prompt }],
    script: { message: prompt, step: 0, tries: errors.length + 1, results: [] },
    signal,
  })
  if (said === 'later') return 'later'
  if ('over' in said) return { ...over(said.over), ...(said.usage === undefined ? {} : { usage: said.usage }) }
  if ('failed' in said) return { invalid: said.failed }
  return { ...(await readAnswer(deps, opened, said.text, name, schema)), usage: said.usage }
}

export type AskedWithin =
  ModelAnswer | { readonly failed: string } | { readonly over: string; readonly usage?: WorkflowUsage } | 'later'

/** One request to a model in the name of a document, within its limits. */
export async function askWithin(
  deps: Omit<ModelStepDeps, 'judgement'>,
  opened: OpenDocument,
  question: ModelQuestion,
): Promise<AskedWithin> {
  const { limits } = opened.document
  const most = limits.maxTokensPerRequest
  const chars = question.messages.reduce((sum, { text }) => sum + text.length, question.instructions.length)
  if (most > 0 && chars / CHARS_PER_TOKEN > most) return { over: 'maxTokensPerRequest' }
  const budget = costMeter(opened, deps.clock())
  if (budget !== undefined && ((await deps.accounts.left(budget.account)) ?? 1) < 1)
    return { over: 'maxMonthlyCostUSD' }
  const meters = minuteMeter(`models ${opened.name}`, limits.maxRequestsPerMinute, deps.clock())
  const taken = await commitWithin(deps, meters, [])
  if (isOver(taken)) return { over: 'maxRequestsPerMinute' }
  if (taken !== 'committed') return 'later'
  const said = await deps.models.ask(question)
  if ('failed' in said) return said
  const { usage } = said
  await spendCost(deps, opened, usage)
  return most > 0 && usage.input_tokens + usage.output_tokens > most ? { over: 'maxTokensPerRequest', usage } : said
}

const over = (limit: string): WorkflowFound => ({
  failure: { code: 'limit_exceeded', says: `a limit of the document is reached: ${limit}`, again: false },
})

async function readAnswer(
  { judgement }: ModelStepDeps,
  opened: OpenDocument,
  text: string,
  name: string | undefined,
  schema: JsonObject | undefined,
): Promise<WorkflowFound> {
  const value = parseIJson(jsonPart(text))
  const checked = (ok: boolean) => (name === undefined ? {} : { checked: { schema: name, ok } })
  if (!value.ok) return { invalid: 'it is not JSON', ...checked(false) }
  if (schema === undefined) return { output: value.value }
  const valid = await judgement.scanner.validate(schema, `${opened.row.sha256}/${name ?? ''}`, value.value)
  return valid.ok
    ? { output: value.value, ...checked(true) }
    : { invalid: valid.problem.about['paths'] ?? 'it does not match the schema', ...checked(false) }
}

function costMeter({ name, document: { limits } }: OpenDocument, now: number) {
  if (limits.maxMonthlyCostUSD === 0) return undefined
  const month = Math.floor(now / MONTH_MS)
  const limit = Math.ceil(limits.maxMonthlyCostUSD * MICRO)
  return { account: `workflow cost ${name} ${month} ${limit}`, limit, until: (month + 2) * MONTH_MS }
}

/** The cost is spent even over the limit; then the next request is rejected. */
async function spendCost(
  deps: MeterDeps & { readonly clock: Clock },
  opened: OpenDocument,
  { cost }: WorkflowUsage,
): Promise<void> {
  const meter = costMeter(opened, deps.clock())
  const units = Math.ceil(cost * MICRO)
  if (meter === undefined || units === 0) return
  const { account, limit, until } = meter
  for (;;) {
    const left = await deps.accounts.left(account)
    if (left === undefined) await deps.ledger.commit([{ kind: 'open', account, units: limit, until }])
    const takes = Math.min(left ?? limit, units)
    if (takes === 0) return
    const spent = await deps.ledger.commit([{ kind: 'spend', account, units: takes }])
    if (typeof spent !== 'object' || !('lost' in spent)) return
  }
}
