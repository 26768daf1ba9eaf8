import type { Json, JsonObject } from '../../../kernel/contract/json.ts'
import type { ModelRole } from '../../models/api.ts'
import { exampleArgs } from '../../../kernel/text/example-args.ts'
import { textIn } from '../tool-step.ts'
import type { AnyStep, FilledStep, StepWork } from './step-type.ts'

/** How many characters of the state a model is shown. */
const LONGEST_STATE = 40_000

type ModelTask<Step> = {
  readonly role: ModelRole
  /** What it is told to do, before anything that the document says. */
  readonly task: string
  template(step: Step): JsonObject
  /** Whether it is given a text; otherwise it is given the state. */
  readonly readsText?: true
}

/** The work of a step that a model does. */
export const modelWork = <Step extends AnyStep>({
  role,
  task,
  template,
  readsText,
}: ModelTask<Step>): StepWork<Step> => ({
  does: 'model',
  isStopped: true,
  template,
  details: ({ type }, given) => ({
    does: type,
    prompt: filledText(given.filled['prompt']),
    source: readsText === true ? filledText(given.filled['source']) : '',
    state: readsText === true ? '' : stateText(given),
    errors: given.frame.errors ?? [],
  }),
  perform: ({ askModel }) => askModel(),
  assume({ details, step, schemaNamed }) {
    const schema = typeof details['schema'] === 'string' ? schemaNamed(details['schema']) : undefined
    const assumed = (schema === undefined ? undefined : exampleArgs(schema)) ?? `(output of step ${step})`
    const args = { prompt: details['prompt'] ?? '', source: details['source'] ?? '' }
    return Promise.resolve({ does: textIn(details, 'does'), args, assumed })
  },
  model: { role, task },
})

export const filledText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)

/** The state for a model, as JSON, cut if it is long. */
function stateText({ state, frame, outer }: FilledStep): string {
  const shown = {
    input: state.input,
    steps: outer.steps(frame.outputs),
    ...(frame.last === undefined ? {} : { output: frame.last }),
    ...outer.variables,
  }
  return JSON.stringify(shown).slice(0, LONGEST_STATE)
}
