import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import type { Leaf } from './leaves.ts'
import { createPlaces, NOWHERE, type AsksWith, type Places } from './places.ts'
import { roleOf, schemaAt, type ValueRole } from './roles.ts'
import type { Session } from './session.ts'
import { createScratch, readWords } from './text.ts'

/** Where a value comes from. `none`: from prose, or unknown; re-encoding a value can only lead here. */
export type ValueOrigin = 'user' | 'constant' | 'approved' | 'data' | 'none'

export type ArgumentValue = {
  readonly path: string
  readonly key: string
  readonly role: ValueRole
  readonly text: string
  /** How many words it has. */
  readonly length: number
  readonly from: ValueOrigin
  /** For data: the leaf that vouches for it. For `none`: the leaf that contains it, if any. */
  readonly leaf?: number
  /** The texts that ask and contain it, even if it is short: `13`. Not looked up for the user's own values. */
  readonly asks: AsksWith
}

/** How many values are looked up per step: a few milliseconds, even if each occurs in many places. */
const STEP_VALUES = 50

/** The values of a call, one at a time. The event loop may run between two steps. */
export function* valueSteps(
  session: Session,
  definition: ToolDefinition,
  leaves: readonly Leaf[],
  recipients: readonly string[] = [],
): Generator<void, ArgumentValue[]> {
  const values: ArgumentValue[] = []
  const places = createPlaces(session)
  for (const leaf of leaves) {
    values.push(valueAt(session, places, definition, leaf, recipients))
    if (values.length % STEP_VALUES === 0) yield
  }
  return values
}

/** The same at once, for a few. */
export function valuesAt(
  session: Session,
  definition: ToolDefinition,
  leaves: readonly Leaf[],
  recipients: readonly string[] = [],
): ArgumentValue[] {
  const places = createPlaces(session)
  return leaves.map((leaf) => valueAt(session, places, definition, leaf, recipients))
}

function valueAt(
  session: Session,
  places: Places,
  definition: ToolDefinition,
  { text, path, key }: Leaf,
  recipients: readonly string[],
): ArgumentValue {
  const schema = schemaAt(definition.inputSchema, path)
  const isRecipient = recipients.some((pointer) => path === pointer || path.startsWith(`${pointer}/`))
  const role = isRecipient ? 'destination' : roleOf(key, text, schema)
  return valueOf(session, places, path, key, text, role, schema)
}

/** Where a single address comes from. */
export const addressValue = (session: Session, places: Places, address: string): ArgumentValue =>
  valueOf(session, places, '', '', address, 'destination', undefined)

/** For the words of a short text, which are needed only while it is looked up. */
const scratch = createScratch()
const LONGEST_IN_SCRATCH = 4_096

function valueOf(
  session: Session,
  places: Places,
  path: string,
  key: string,
  text: string,
  role: ValueRole,
  schema: JsonObject | undefined,
): ArgumentValue {
  const words = text.length <= LONGEST_IN_SCRATCH ? readWords(text, undefined, scratch) : readWords(text)
  const { length } = words
  const value = (from: ValueOrigin, asks: AsksWith, leaf?: number): ArgumentValue =>
    leaf === undefined
      ? { path, key, role, text, length, from, asks }
      : { path, key, role, text, length, from, leaf, asks }
  if (session.user.typed(text, words)) return value('user', NOWHERE)
  const asks = places.asks(words)
  if (length === 0 || (schema !== undefined && isConstant(schema, text))) return value('constant', asks)
  if (session.approved(words)) return value('approved', NOWHERE)
  if (role !== 'destination' && length > 1 && session.user.covers(words)) return value('user', NOWHERE)
  const data = role === 'destination' ? places.alone(words) : places.inData(words)
  if (data !== undefined) return value('data', asks, data)
  return value('none', asks, places.anywhere(words))
}

function isConstant(schema: JsonObject, text: string): boolean {
  const choices = schema['enum']
  return (
    isChoice(schema['default'], text) || (Array.isArray(choices) && choices.some((choice) => isChoice(choice, text)))
  )
}

const isChoice = (choice: Json | undefined, text: string): boolean =>
  choice !== undefined && choice !== null && typeof choice !== 'object' && String(choice) === text
