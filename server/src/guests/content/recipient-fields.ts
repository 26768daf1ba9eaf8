import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { inForce, type Tool } from '../../kernel/contract/tool.ts'
import { splitWords } from '../../kernel/text/split-words.ts'

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words in a field name that mean "recipient". */
const RECIPIENT = list(`
  to cc bcc recipient recipients receiver receivers addressee addressees attendee attendees invitee invitees guest guests
  participant participants destination destinations channel channels chat chats room rooms conversation conversations
  mailto beneficiary beneficiaries payee payees subscriber subscribers reply
`)
/** Words that can accompany a recipient word without changing its meaning: `to_email`, `recipients[0].address`. */
const ADDRESS = list(`
  email emails mail address addresses phone phones number numbers mobile tel telephone msisdn sms whatsapp handle username user
  users id ids uid list iban account contact contacts member members person people with send share shared forward target
`)
/** Words in a tool name that mean the tool contacts a person. */
const REACHES = list(`
  send email mail message notify invite share call dial text sms forward reply dm ping remind page fax add
`)
/** Field names for a request's destination: an address in such a field is the destination. */
const HOST = list('host hostname url uri endpoint server ip address target domain webhook link href remote')

/** Types of personal data that can be a recipient. A card or identity number never is one. */
const OF_PEOPLE = new Set(['EMAIL', 'PHONE', 'IBAN'])
const OF_HOSTS = new Set(['IPV4', 'IPV6'])

type Personal = {
  readonly type: string
  readonly path: string
  readonly alone: boolean
  readonly url?: 'host' | 'rest'
}

/**
 * Whether personal data is only the recipient's address. Decided by the names of the fields on the path. A field that is merely
 * called `email` counts only if the tool sends something and has no other field for recipients.
 * INVARIANT: text that contains more than addresses is never a recipient, whatever its field is called.
 */
export function isRecipient(finding: Personal, tool: Pick<Tool, 'effects' | 'row'>): boolean {
  const keys = finding.path
    .split('/')
    .slice(1)
    .filter((key) => !/^\d+$/.test(key))
  if (OF_HOSTS.has(finding.type)) return isHost(finding, keys)
  if (!OF_PEOPLE.has(finding.type) || !finding.alone) return false
  const words = keys.map((key) => splitWords(key))
  const at = words.findIndex(namesRecipient)
  if (at !== -1) return words.slice(at + 1).every(isAddress)
  return keys.length === 1 && words.every(isAddress) && isOnlyAddress(tool)
}

const namesRecipient = (words: readonly string[]): boolean =>
  words.some((word) => RECIPIENT.has(word)) && words.every((word) => RECIPIENT.has(word) || ADDRESS.has(word))

const isAddress = (words: readonly string[]): boolean => words.length > 0 && words.every((word) => ADDRESS.has(word))

function isHost({ alone, url }: Personal, keys: readonly string[]): boolean {
  const last = splitWords(keys.at(-1) ?? '')
  return (url === 'host' || alone) && last.some((word) => HOST.has(word))
}

function isOnlyAddress({ effects, row }: Pick<Tool, 'effects' | 'row'>): boolean {
  const { name, inputSchema } = inForce(row).definition
  if (!effects.includes('external') || !splitWords(name).some((word) => REACHES.has(word))) return false
  return !Object.keys(propertiesOf(inputSchema)).some((key) => namesRecipient(splitWords(key)))
}

const propertiesOf = (schema: JsonObject): JsonObject =>
  isJsonObject(schema['properties']) ? schema['properties'] : {}
