import { Bug } from '../../kernel/contract/problems.ts'
import { typeNamed } from './steps/steps.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import { parseIJson } from '../../kernel/json/parse-ijson.ts'
import { jsonPart, modelInstructions, modelPrompt } from './prompts.ts'
import type { WorkflowFound } from './draft.ts'
import type { Performing } from '../../kernel/runs/performer.ts'
import { askWithin, type AskingDeps, type OpenDocument } from './api.ts'
import { textIn } from './tool-step.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'

export type ModelStepDeps = AskingDeps & { readonly judgement: Pick<Judgement, 'scanner'> }

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
  const asked = typeNamed(details['does'])?.work?.model
  if (asked === undefined) throw new Bug('no model does this step')
  const name = typeof details['schema'] === 'string' ? details['schema'] : undefined
  const schema = name === undefined ? undefined : (workflow.schemas?.[name] as JsonObject | undefined)
  const instructions = modelInstructions(opened.document, asked.task, schema)
  const errors = Array.isArray(details['errors']) ? (details['errors'] as readonly Json[]).map(String) : []
  const prompt = modelPrompt({
    prompt: textIn(details, 'prompt'),
    source: textIn(details, 'source'),
    state: textIn(details, 'state'),
    errors,
  })
  const said = await askWithin(deps, opened, {
    role: asked.role,
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
