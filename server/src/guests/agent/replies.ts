import { strictReply, type StrictReply } from '../../kernel/approvals/strict-reply.ts'
import { hasTokenShape, plainLetters } from '../../kernel/contract/credential-shape.ts'

/** How a reply is stored: without its token, so that no model and no journal sees it. */
export const replyWithoutToken = (reply: StrictReply, reason: string | undefined): string =>
  reply.says === 'approve'
    ? `APPROVE ${reply.approval_id}`
    : ['REJECT', reply.approval_id, ...(reason === undefined ? [] : [reason])].join(' ')

/** Meant as a reply, but not exactly one: in other letters, with more words or line breaks, without its token, or a token alone. */
export type MisspeltReply = { readonly says: 'misspelt'; readonly approves: string | undefined }

const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const ALMOST = /^[^A-Za-z]*(?:(APROBAR|APPROVE)|RECHAZAR|REJECT)\b[^A-Za-z]*(auth_[0-9a-f]{16})(?![0-9a-z])/i

/** What a message to an agent is, if it is no message to a model: a reply, or almost one. */
export function replyIn(message: string): StrictReply | MisspeltReply | undefined {
  const strict = strictReply(message)
  if (strict !== undefined) return strict
  const [, verb, id] = ALMOST.exec(plainLetters(message).replace(INVISIBLE, '')) ?? []
  if (id === undefined && !hasTokenShape(message)) return undefined
  return { says: 'misspelt', approves: verb === undefined ? undefined : id?.toLowerCase() }
}

export const MISSPELT =
  'the message looks like a reply to a request, but not exactly, so nothing was decided; a reply is the whole message, on one line, in plain letters'

type UserCommand = 'retry' | 'skip' | 'cancel'

const COMMANDS: Readonly<Record<string, UserCommand>> = {
  RETRY: 'retry',
  REINTENTAR: 'retry',
  SKIP: 'skip',
  OMITIR: 'skip',
  CANCEL: 'cancel',
  CANCELAR: 'cancel',
}

/** Undefined: the message is information. */
export function userCommand(message: string): UserCommand | undefined {
  const word = message.trim()
  if (!/^[A-Za-z]{1,12}$/.test(word)) return undefined
  const command = word.toUpperCase()
  return Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
}

/** Messages that request nothing. Whole messages, without punctuation; one list per language. */
const SMALL_TALK: readonly string[] = [
  // English
  'hi|hello|hey|hello there|hi there|good morning|good afternoon|good evening|good night|bye|goodbye|see you|thanks|thank you|thank you very much|thanks a lot|many thanks|cheers|ok|okay|great|perfect|nice|cool|how are you|who are you|what are you|what can you do|help',
  // Spanish
  'hola|buenos días|buenas tardes|buenas noches|adiós|hasta luego|gracias|muchas gracias|vale|perfecto|genial|qué tal|cómo estás|quién eres|qué puedes hacer|ayuda',
  // German
  'hallo|guten morgen|guten tag|guten abend|gute nacht|tschüss|auf wiedersehen|danke|danke schön|vielen dank|super|prima|wie geht es dir|wer bist du|was kannst du|hilfe',
]
const KNOWN: ReadonlySet<string> = new Set(SMALL_TALK.flatMap((words) => words.split('|')))

/** By rules alone: anything that is not clearly small talk is a task. */
export function intentOf(message: string): 'conversation' | 'task' {
  const words = message
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\p{P}\p{S}]/gu, ' ')
    .trim()
    .replace(/\s+/g, ' ')
  return words === '' || KNOWN.has(words) ? 'conversation' : 'task'
}
