import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { inForce, type Tool } from '../../kernel/contract/tool.ts'
import { shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import { sayProblem } from '../../kernel/text/say-problem.ts'
import type { CardFact, GivenArgs } from './state.ts'
import { ungrounded } from './ungrounded.ts'
import type { ArgumentModel } from '../../kernel/ports/argument-model.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'

export type FillPorts = {
  readonly judgement: Pick<Judgement, 'scanner'>
  /** Set only if configured. */
  readonly argumentModel?: ArgumentModel
}

export type FilledArguments = { readonly args: GivenArgs } & Pick<
  CardFact,
  'required_inputs' | 'why_inputs' | 'proposed_args' | 'hidden'
>

const LONGEST_SHOWN = 2_000

/**
 * The caller's own arguments, otherwise a model's, otherwise none; and what a person still has to provide.
 * INVARIANT: no value is invented. A model's values count only if they are also in the prompt or the tool's schema.
 */
export async function fillArguments(
  deps: FillPorts,
  tool: Tool,
  given: Json | undefined,
  prompt: string,
): Promise<FilledArguments> {
  const { definition, hash } = inForce(tool.row)
  const { inputSchema } = definition
  const args = isJsonObject(given) ? givenArgs(given) : await modelArgs(deps, tool, prompt)
  const missing = missingIn(args.value, inputSchema)
  const unsaid = args.of === 'model' && isJsonObject(args.value) ? ungrounded(args.value, inputSchema, prompt) : []
  const required_inputs = [...new Set([...missing, ...unsaid])]
  const reasons = [
    ...(missing.length === 0 ? [] : [`inputs are missing: ${missing.join(', ')}`]),
    ...(unsaid.length === 0 ? [] : [`a model proposed values that the prompt does not contain: ${unsaid.join(', ')}`]),
  ]
  const shown = await shownOf(deps, args.value)
  if (required_inputs.length > 0) return { args, required_inputs, why_inputs: reasons.join('; '), ...shown }
  const valid = await deps.judgement.scanner.validate(inputSchema, hash, args.value)
  if (valid.ok) return { args, required_inputs, why_inputs: '', ...shown }
  return { args, required_inputs: ['args'], why_inputs: sayProblem(valid.problem), ...shown }
}

const givenArgs = (given: JsonObject): GivenArgs => ({ of: 'caller', value: given['value'] ?? {} })
const NO_ARGUMENTS: GivenArgs = { of: 'nobody', value: {} }

async function modelArgs({ argumentModel }: FillPorts, tool: Tool, prompt: string): Promise<GivenArgs> {
  const { definition } = inForce(tool.row)
  const wanted = definition.inputSchema['properties']
  if (argumentModel === undefined || !isJsonObject(wanted) || Object.keys(wanted).length === 0) return NO_ARGUMENTS
  const title = tool.title ?? definition.title ?? definition.name
  const asked = { title, purpose: definition.description ?? '', schema: definition.inputSchema, prompt }
  const said = await argumentModel.propose(asked).catch(() => undefined)
  const isUsable = said !== undefined && isJsonObject(said) && canonicalJson(said).ok
  return isUsable ? { of: 'model', value: said } : NO_ARGUMENTS
}

function missingIn(args: Json, schema: JsonObject): string[] {
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : []
  const isThere = (name: string) => isJsonObject(args) && Object.hasOwn(args, name)
  return required.filter((name) => typeof name === 'string').filter((name) => !isThere(name))
}

/** For people: without secrets, but with their places, and of limited length. */
async function shownOf({ judgement }: FillPorts, args: Json): Promise<Pick<CardFact, 'proposed_args' | 'hidden'>> {
  const canonical = canonicalJson(args)
  if (!canonical.ok) return { proposed_args: '{}' }
  const { args: shown, hidden } = await judgement.scanner.shownArgs(canonical.value)
  return { proposed_args: shortened(visibleText(shown), LONGEST_SHOWN), ...(hidden.length === 0 ? {} : { hidden }) }
}
