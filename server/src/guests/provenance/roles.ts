import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { splitName } from './profile.ts'
import { trimmedEnd } from '../../kernel/contract/trimmed.ts'

/**
 * What parameter names say about the role of a value. The first list that contains a word of the name decides. Destinations come
 * first, because they are worth most to an attacker.
 */
const ROLE_WORDS = {
  destination:
    'recipient recipients receiver receivers cc bcc email emails e-mail iban account url uri link href host hostname domain webhook endpoint channel channels phone mobile fax address addressee participants attendees invitees invitee password passwort contrasena passphrase secret remote callback redirect empfanger konto adresse destinatario cuenta payee beneficiary wallet sender server card payment token pin cvv credential credentials iban bic',
  date: 'date datetime day time start end deadline due until since when begin from_date to_date datum fecha expiration expiry',
  content:
    'body message text content contents description subject title comment note notes summary caption reason html markdown prompt details inhalt betreff nachricht texto mensaje asunto cuerpo resolution query',
  entity:
    'id ids name names file files filename path folder directory key symbol ticker number code user username owner repo branch title label tag tags item product hotel restaurant company source target destination location city country state zip',
} as const

export type ValueRole = 'destination' | 'entity' | 'content' | 'date' | 'amount' | 'flag'

const LISTS = Object.entries(ROLE_WORDS).map(
  ([role, words]) => [role as ValueRole, new Set<string>(words.split(' '))] as const,
)

const EMAIL = /^[^\s@<>]+@[^\s@<>]+\.[\p{L}]{2,}$/u
const ADDRESS = /^(?:[a-z][a-z\d+.-]*:\/\/|www\.)\S+$/i
const IBAN = /^[A-Z]{2}\d{2}(?: ?[A-Z\d]){10,30}$/

/** What every one of these contains. */
const MAY_BE_ADDRESS = /@|:\/\/|www\.|^\s*[A-Z]{2}\d/i

/** Whether a value is an address, whatever its field is called. */
export function isAddress(text: string): boolean {
  if (!MAY_BE_ADDRESS.test(text)) return false
  const value = text.trim()
  return EMAIL.test(value) || ADDRESS.test(value) || IBAN.test(value)
}

/** Addresses inside a longer text. */
export function addressesIn(text: string): string[] {
  const found = text.match(
    /(?<![^\s@<>"'(),;])[^\s@<>"'(),;]+@[^\s@<>"'(),;]+\.\p{L}{2,}|(?:https?:\/\/|www\.)[^\s"'<>)]+|\b[A-Z]{2}\d{2}[A-Z\d]{10,30}\b/gu,
  )
  return (found ?? []).map((address) => trimmedEnd(address, '.,!?'))
}

type NamedRole = ValueRole | 'to' | undefined
/** Cached, because the same fields occur in every call. The cache is cleared when it is full. */
const NAMED = new Map<string, NamedRole>()
const MOST_NAMED = 1_000

/** What the name of a field says. */
function namedRole(key: string): NamedRole {
  const known = NAMED.get(key)
  if (known !== undefined || NAMED.has(key)) return known
  const words = splitName(key).split(' ')
  // `to`, `to_account`, but not `travel_to`.
  const role = words[0] === 'to' ? 'to' : LISTS.find(([, list]) => words.some((word) => list.has(word)))?.[0]
  if (NAMED.size >= MOST_NAMED) NAMED.clear()
  if (key.length <= LONG) NAMED.set(key, role)
  return role
}

const LONG = 60

/** The role of a value, by its format, its field's name and its schema. */
export function roleOf(key: string, value: string, schema: JsonObject | undefined): ValueRole {
  const type = schema?.['type']
  if (schema?.['enum'] !== undefined || type === 'boolean' || value === 'true' || value === 'false') return 'flag'
  if (isAddress(value)) return 'destination'
  const named = namedRole(key)
  if (named === 'to') return 'destination'
  const numeric = type === 'number' || type === 'integer' || /^-?[\d.,]+$/.test(value)
  if (named === 'destination' && value.length > LONG && value.includes(' ')) return 'content'
  if (named === 'destination' || named === 'date') return named
  if (numeric) return named === 'entity' ? 'entity' : 'amount'
  if (named === 'content' && value.length > 0) return 'content'
  if (named !== undefined) return named
  return value.length > LONG || value.split(/\s+/).length > 6 ? 'content' : 'entity'
}

type Found = Map<string, JsonObject | undefined>
/** Cached, because every call looks up the same fields. The cache of a schema is cleared when it is full. */
const FOUND = new WeakMap<JsonObject, Found>()
const MOST_FOUND = 200

/** The schema of one field, by its pointer; follows lists and local references. */
export function schemaAt(schema: JsonObject, pointer: string): JsonObject | undefined {
  const found: Found = FOUND.get(schema) ?? new Map<string, JsonObject | undefined>()
  if (found.size === 0) FOUND.set(schema, found)
  const known = found.get(pointer)
  if (known !== undefined || found.has(pointer)) return known
  const field = findSchema(schema, pointer)
  if (found.size >= MOST_FOUND) found.clear()
  if (pointer.length <= LONG) found.set(pointer, field)
  return field
}

function findSchema(schema: JsonObject, pointer: string): JsonObject | undefined {
  let at: Json = schema
  for (const step of pointer.split('/').slice(1)) {
    if (!isJsonObject(at)) return undefined
    const properties: Json | undefined = at['properties']
    const inner: Json | undefined = isJsonObject(properties)
      ? properties[step.replaceAll('~1', '/').replaceAll('~0', '~')]
      : undefined
    const next: Json | undefined = inner ?? (/^\d+$/.test(step) ? at['items'] : undefined)
    if (next === undefined) return undefined
    at = next
  }
  return isJsonObject(at) ? at : undefined
}
