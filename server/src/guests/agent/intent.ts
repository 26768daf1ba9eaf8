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
