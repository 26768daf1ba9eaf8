import { z } from 'zod'
import type { Outcome } from '../../../kernel/contract/call.ts'
import type { Json, JsonObject } from '../../../kernel/contract/json.ts'
import type { RunGraph } from '../../../kernel/contract/run.ts'
import type { ModelRole } from '../../models/api.ts'
import type { Change, Committed } from '../../../kernel/ports/ledger.ts'
import type { Tables } from '../../../kernel/ports/reads.ts'
import type { AdvancedDraft, Draft, Moved, WorkflowFound } from '../draft.ts'
import type { LocatedDocument } from '../locate-document.ts'
import type { DocumentFault, DocumentPlace, Raw, RawStep } from '../raw-document.ts'
import type { Around } from '../scope.ts'
import type { Frame, WorkflowState } from '../state.ts'
import type { Lookup } from '../templates.ts'

/** What every step has. */
export type AnyStep = {
  readonly type: string
  readonly id?: string | undefined
  readonly outputSchemaRef?: string | undefined
  readonly retries?: number | undefined
}

/**
 * One type of step: everything that is special about it. To add one, write its file and add its line to `steps.ts`.
 */
export type StepType<Step extends AnyStep = AnyStep> = {
  readonly schema: z.ZodObject
  /** Mistakes that the schema does not find. */
  check?(raw: RawStep, where: string, located: LocatedDocument): DocumentFault[]
  /** Fields that are one text with templates. */
  readonly texts?: readonly string[]
  /** A field in which every text may have templates. */
  readonly value?: { readonly field: string; readonly mayHoldSecret: boolean }
  /** Fields that are one path to a value. */
  readonly paths?: readonly string[]
  /** The other paths in it. */
  pathsIn?(step: Raw): { readonly text: string; readonly at: DocumentPlace }[]
  /** What it is called in a graph, without its id. By default its type. */
  says?(step: Step): string
  /** Where it leads in a graph. By default to the next step. */
  edges?(step: Step, from: string, drawing: Drawing): RunGraph['edges'][number][]
  /** The tools it names. */
  tools?(step: Step): readonly string[]
  /** Whether it may run beside the same step of other iterations. By default it may. */
  isFree?(step: Step, reads: readonly string[], isInnerFree: (inner: AnyStep) => boolean): boolean
  /** Steps inside it, which run once for each item of a list. */
  readonly loop?: StepLoop<Step>
  /** Done at once. A type has either this or `work`. */
  advance?(step: Step, at: Advancing): Moved
  /** Done by an effect. */
  readonly work?: StepWork<Step>
}

type StepLoop<Step> = {
  /** The variable that holds the item. */
  variable(step: Raw): string
  steps(step: Step): readonly AnyStep[]
  /** Continues the iterations. */
  resume(step: Step, at: Advancing): Moved
}

export type Drawing = {
  /** Where it goes on afterwards. */
  readonly next: string
  /** The node of a step of the same list, by its id. */
  readonly nodeOf: (id: string) => string
  readonly edgesIn: (steps: readonly AnyStep[], prefix: string, after: string) => RunGraph['edges'][number][]
}

export type Advancing = {
  readonly draft: Draft
  readonly frame: Frame
  /** The list that contains the step. */
  readonly steps: readonly AnyStep[]
  readonly outer: Around
  readonly lookup: Lookup
  /** Its displayed number. */
  readonly number: string
  /** Continues another list of steps. */
  readonly advance: (draft: Draft, frame: Frame, steps: readonly AnyStep[], outer: Around) => AdvancedDraft
  readonly isFree: (step: AnyStep) => boolean
}

/** A piece of work. Types with the same kind of work share one value. */
export type StepWork<Step extends AnyStep = AnyStep> = {
  /** The name of the effect, after `workflow_`. */
  readonly does: string
  /** A call of a tool: it may wait for a person, and it is not stopped. */
  readonly isCall?: true
  /** Nobody needs it after a cancellation. */
  readonly isStopped?: true
  /** Tried again if it is known that nothing was done. */
  readonly isRetried?: true
  /** The template that is filled before the step begins. */
  template(step: Step): JsonObject
  /** Of the effect: all that the work needs. */
  details(step: Step, filled: FilledStep): JsonObject
  perform(doing: StepContext): Promise<WorkflowFound | 'later'>
  assume(dry: DryDoing): Promise<AssumedWork>
  /** For a model: in which role, and what it is told to do. */
  readonly model?: { readonly role: ModelRole; readonly task: string }
}

export type FilledStep = {
  readonly filled: JsonObject
  /** Where secrets replace a text, by JSON pointer. */
  readonly secrets: Readonly<Record<string, string>>
  readonly state: WorkflowState
  readonly frame: Frame
  readonly outer: Around
}

/** What work may use, in the name of its run and its document, within their limits. */
export type StepContext = {
  readonly state: WorkflowState
  readonly key: string
  readonly details: JsonObject
  readonly tables: Pick<Tables, 'row'>
  readonly now: () => number
  /** One call, however often it is performed. */
  call(tool: string, args: Json): Promise<Outcome>
  /** What an outcome means for the step. */
  found(outcome: Outcome): Promise<WorkflowFound>
  /** Checks an output against the schema of the step. */
  checked(found: WorkflowFound): Promise<WorkflowFound>
  /** The gate's own tools. */
  readArtifact(tool: string, args: Json): Promise<WorkflowFound>
  askModel(): Promise<WorkflowFound | 'later'>
  countMessage(): Promise<'counted' | 'over' | 'later'>
  commitWithin(
    places: readonly { readonly account: string; readonly limit: number }[],
    changes: readonly Change[],
  ): Promise<Committed | { readonly over: string }>
}

export type DryDoing = {
  readonly state: WorkflowState
  readonly details: JsonObject
  /** The displayed number of the step. */
  readonly step: string
  /** What its own steps would have stored. */
  readonly kept: Map<string, Json>
  schemaNamed(name: string): JsonObject | undefined
  outputSchemaOf(tool: string): JsonObject | undefined
  judged(tool: string, args: Json): Promise<JudgedStep>
}

export type JudgedStep = { readonly effect: string; readonly why: readonly string[] }

export type AssumedWork = {
  readonly does: string
  readonly args: Json
  readonly verdict?: JudgedStep
  /** What the following steps get instead of an output. */
  readonly assumed: Json
}

/** A type with the fields that its schema describes. */
export const stepType = <Schema extends z.ZodObject>(
  schema: Schema,
  parts: Omit<StepType<z.output<Schema> & AnyStep>, 'schema'>,
): StepType => ({ schema, ...(parts as Omit<StepType, 'schema'>) })

export const nameOf = ({ schema }: StepType): string => (schema.shape['type'] as z.ZodLiteral<string>).value

const StepId = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/, 'an id is 1 to 64 letters, digits, `_` and `-`, beginning with a letter')

/** Fields of several types. */
export const FIELDS = {
  common: { id: StepId.optional() },
  text: z.string().max(20_000),
  retries: z.int('a whole number').min(0, 'retries are 0 to 10').max(10, 'retries are 0 to 10'),
  /** Checked by hand, to report the protocol and step. */
  schemaRef: z.string(),
  path: z.string().min(1).max(500),
} as const
