import type { Json, JsonObject } from '../../contract/json.ts'
import type { ToolDefinition } from '../../contract/tool.ts'
import { argumentLeaves } from './leaves.ts'
import { createPlaces, NOWHERE, type AsksWith, type Places } from './places.ts'
import { roleOf, schemaAt, type Role } from './roles.ts'
import type { Session } from './session.ts'
import { readWords, type Words } from './text.ts'

/** Where a value comes from. `none`: from prose, or unknown; re-encoding a value can only lead here. */
export type Provenance = 'user' | 'constant' | 'approved' | 'data' | 'none'

export type Value = {
  readonly path: string
  readonly key: string
  readonly role: Role
  readonly text: string
  readonly words: Words
  readonly from: Provenance
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
  args: Json,
  recipients: readonly string[] = [],
): Generator<void, Value[]> {
  const values: Value[] = []
  const places = createPlaces(session)
  for (const { text, path, key } of argumentLeaves(args)) {
    const schema = schemaAt(definition.inputSchema, path)
    const isRecipient = recipients.some((pointer) => path === pointer || path.startsWith(`${pointer}/`))
    const role = isRecipient ? 'destination' : roleOf(key, text, schema)
    values.push(valueOf(session, places, { path, key, text, role, words: readWords(text) }, schema))
    if (values.length % STEP_VALUES === 0) yield
  }
  return values
}

/** Where a single address comes from. */
export function addressValue(session: Session, places: Places, address: string): Value {
  const value = { path: '', key: '', text: address, role: 'destination', words: readWords(address) } as const
  return valueOf(session, places, value, undefined)
}

type Read = Omit<Value, 'from' | 'leaf' | 'asks'>

function valueOf(session: Session, places: Places, value: Read, schema: JsonObject | undefined): Value {
  const { text, words, role } = value
  if (session.user.typed(text, words)) return { ...value, from: 'user', asks: NOWHERE }
  const asks = places.asks(words)
  if (words.length === 0 || (schema !== undefined && isConstant(schema, text)))
    return { ...value, from: 'constant', asks }
  if (session.approved(words)) return { ...value, from: 'approved', asks: NOWHERE }
  if (role !== 'destination' && words.length > 1 && session.user.covers(words))
    return { ...value, from: 'user', asks: NOWHERE }
  const data = role === 'destination' ? places.alone(words) : places.inData(words)
  if (data !== undefined) return { ...value, from: 'data', leaf: data, asks }
  const leaf = places.anywhere(words)
  return { ...value, from: 'none', asks, ...(leaf === undefined ? {} : { leaf }) }
}

function isConstant(schema: JsonObject, text: string): boolean {
  const choices = schema['enum']
  return [schema['default'], ...(Array.isArray(choices) ? choices : [])].some(
    (choice) => choice !== null && typeof choice !== 'object' && String(choice) === text,
  )
}
