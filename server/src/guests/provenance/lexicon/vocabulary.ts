import { hashWord, readWords } from '../text.ts'
import { FUNCTION_WORDS, MARKERS, MOODS, OTHER_FUNCTION_WORDS, VAGUE_WORDS, type Mood } from './moods.ts'
import { IRREGULAR, IRREGULAR_ORDERS, NOUN_LIKE, VERB_GROUPS } from '../../../kernel/text/lexicon/verbs.ts'

/**
 * Nouns that mean the same to a tool, in three languages. The first word names the concept. Users and tool authors use different
 * words for the same thing, and a request in German is about the same e-mail. Only general things that tools act on; no names, no
 * values.
 */
const CONCEPTS: readonly string[] = [
  'email mail mails inbox mailbox e-mail nachricht nachrichten correo correos',
  'message note text dm chat sms mitteilung mensaje mensajes memo inquiry',
  'file document doc attachment datei dateien dokument dokumente archivo archivos documento report spreadsheet',
  'folder directory dir ordner verzeichnis carpeta directorio workspace',
  'payment transaction transfer money fund funds cash uberweisung zahlung geld pago transferencia dinero sum wire remittance capital',
  'account konto konten cuenta cuentas profile',
  'balance guthaben saldo',
  'bill invoice rechnung factura receipt rent',
  'password passwort kennwort contrasena passcode passphrase pin',
  'user member person nutzer benutzer usuario people colleague friend teammate',
  'contact contacts kontakt contacto address-book',
  'channel kanal canal room group gruppe grupo',
  'event meeting appointment calendar reminder termin termine kalender besprechung evento reunion cita calendario schedule invite',
  'flight plane airline flug fluge vuelo vuelos trip journey ticket-flight airfare reservation booking reserva buchung',
  'hotel room accommodation unterkunft zimmer habitacion lodging reservation booking stay',
  'car vehicle auto wagen coche vehiculo automobile convertible',
  'fuel gas gasoline petrol tank benzin kraftstoff tanken combustible gasolina',
  'engine motor ignition triebwerk',
  'door doors tur turen puerta puertas',
  'brake brakes bremse freno',
  'order orders purchase bestellung auftrag pedido orden',
  'stock share shares aktie aktien accion acciones equity ticker',
  'watchlist list beobachtungsliste lista liste',
  'ticket issue case incident vorgang problem storung incidencia tique',
  'post tweet status beitrag publicacion publicacion update article blog',
  'comment kommentar comentario reply',
  'website page webpage site url link seite webseite pagina sitio enlace web',
  'card credit-card karte kreditkarte tarjeta',
  'insurance versicherung seguro coverage',
  'budget haushalt presupuesto limit cap allowance',
  'permission access role right berechtigung zugriff rolle permiso acceso privilege',
  'repository repo branch commit code repositorio',
  'server host machine instance container rechner servidor cluster deployment',
  'database table record datenbank tabelle base row registro eintrag',
  'passenger traveller traveler passagier pasajero guest',
  'baggage bag luggage suitcase gepack equipaje bags',
  'address location adresse ort direccion ubicacion destination place',
  'phone telephone number telefon telefono',
  'key token secret credential schlussel clave credentials api-key',
  'subscription plan abo abonnement suscripcion membership',
  'light lights headlight headlights lampe licht luz',
  'temperature climate heating cooling temperatur klima temperatura ac',
  'navigation route gps navi ruta directions',
  'product item article produkt artikel producto goods',
  'support service helpdesk kundendienst soporte',
]

/** What a word can mean, as a bit set: the verb groups first, then forms, then moods. */
export const GROUP_BITS = VERB_GROUPS.length
export const ALL_GROUPS = (1 << GROUP_BITS) - 1
export const FETCH = 1 << VERB_GROUPS.findIndex(({ group }) => group === 'fetch')
export const BASE = 1 << GROUP_BITS
export const NOUNISH = 1 << (GROUP_BITS + 1)
/** German: the infinitive is at the end of a request. */
export const LAST = 1 << (GROUP_BITS + 2)
export const FUNCTION = 1 << (GROUP_BITS + 3)
/** A word of a language other than English. */
export const OTHER = 1 << (GROUP_BITS + 4)
export const VAGUE = 1 << (GROUP_BITS + 5)
/** One of the markers, which need a closer look. */
export const MARKER = 1 << (GROUP_BITS + 6)
const MOOD_NAMES = Object.keys(MOODS) as Mood[]
export const moodBit = (mood: Mood): number => 1 << (GROUP_BITS + 7 + MOOD_NAMES.indexOf(mood))

/** A table of numbers with open addressing: there is a lookup for every word of every text, so it must take nanoseconds. */
type Table = { readonly keys: Uint32Array; readonly values: Int32Array; readonly mask: number }

function tableOf(entries: ReadonlyMap<number, number>): Table {
  let size = 64
  while (size < entries.size * 3) size *= 2
  const keys = new Uint32Array(size)
  const values = new Int32Array(size)
  for (const [key, value] of entries) {
    let at = key & (size - 1)
    while (values[at] !== 0) at = (at + 1) & (size - 1)
    keys[at] = key
    values[at] = value
  }
  return { keys, values, mask: size - 1 }
}

function lookUp({ keys, values, mask }: Table, key: number): number {
  let at = key & mask
  for (;;) {
    const value = values[at] ?? 0
    if (value === 0) return 0
    if (keys[at] === key) return value
    at = (at + 1) & mask
  }
}

/** Shorter German forms are English words as well: `lost`, `end`. */
const SHORTEST_ORDER = 5

/** Both are built when the first text is read. */
let bits: Table | undefined
let same: Table | undefined

/** The bits of a word, 0 if it is in no lexicon. */
export const meaningOf = (full: number): number => lookUp((bits ??= tableOf(meanings())), full)
/** The number of a stem's concept, or the stem itself. */
export const conceptOf = (stem: number): number => lookUp((same ??= tableOf(concepts())), stem) >>> 0 || stem

function meanings(): Map<number, number> {
  const found = new Map<number, number>()
  const add = (word: string, bits: number) => {
    const hash = hashWord(word)
    found.set(hash, (found.get(hash) ?? 0) | bits)
  }
  const english = new Set(
    VERB_GROUPS.flatMap(({ en }) => en.split(' ')).flatMap((verb) => [verb, ...englishForms(verb)].map(hashWord)),
  )
  // Vocabulary in other languages is only partly known, so these words are marked unless they are English too.
  const foreign = (word: string) => (english.has(hashWord(word)) ? 0 : OTHER)
  VERB_GROUPS.forEach(({ en, de, es }, index) => {
    const bit = 1 << index
    for (const verb of en.split(' ')) {
      add(verb, bit | BASE)
      for (const form of englishForms(verb)) add(form, bit)
    }
    for (const verb of de.split(' ')) {
      add(verb, bit | LAST | foreign(verb))
      for (const form of germanForms(verb)) add(form, form.length >= SHORTEST_ORDER ? bit | BASE | foreign(form) : bit)
      for (const form of IRREGULAR_ORDERS[verb]?.split(' ') ?? []) add(form, bit | BASE | OTHER)
    }
    for (const verb of es.split(' ')) {
      add(verb, bit | BASE | foreign(verb))
      for (const form of spanishForms(verb)) add(form, bit | BASE | foreign(form))
      for (const form of IRREGULAR_ORDERS[verb]?.split(' ') ?? []) add(form, bit | BASE | OTHER)
    }
  })
  for (const word of NOUN_LIKE.split(' ')) add(word, NOUNISH)
  for (const mood of MOOD_NAMES) for (const word of MOODS[mood].split(' ')) add(word, moodBit(mood))
  for (const word of FUNCTION_WORDS.split(' ')) add(word, FUNCTION)
  for (const word of OTHER_FUNCTION_WORDS.split(' ')) add(word, FUNCTION | OTHER)
  for (const list of Object.values(MARKERS)) for (const word of list.split(' ')) add(word, MARKER)
  for (const word of VAGUE_WORDS.split(' ')) add(word, VAGUE)
  return found
}

export function englishForms(verb: string): string[] {
  const cut = verb.endsWith('e') ? verb.slice(0, -1) : verb
  const doubled = /[^aeiou][aeiou][bdgklmnprt]$/.test(verb) ? verb + verb.slice(-1) : cut
  const past = /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${cut}ed`
  const third = /[^aeiou]y$/.test(verb)
    ? `${verb.slice(0, -1)}ies`
    : /(?:s|x|z|ch|sh|o)$/.test(verb)
      ? `${verb}es`
      : `${verb}s`
  const forms = [third, `${cut}ing`, past, `${doubled}ing`, `${doubled}ed`]
  return [...forms, ...(IRREGULAR[verb]?.split(' ') ?? [])]
}

/** The imperative and second-person forms of an infinitive in -en or -n. */
export function germanForms(verb: string): string[] {
  const stem = verb.replace(/e?n$/, '')
  return [stem, `${stem}e`, `${stem}t`, `${stem}et`, `${stem}st`, `ge${stem}t`]
}

/** Imperatives and second-person forms, including those with an attached pronoun. */
export function spanishForms(verb: string): string[] {
  const stem = verb.slice(0, -2)
  const [own, other] = verb.endsWith('ar') ? ['a', 'e'] : ['e', 'a']
  const soft = stem.endsWith('g') ? `${stem}u` : stem.endsWith('c') ? `${stem.slice(0, -1)}qu` : stem
  const forms = [stem + own, `${stem}${own}s`, soft + other, `${soft}${other}n`, `${stem}o`, `${stem}${own}d`]
  const joined = ['lo', 'la', 'los', 'las', 'me', 'le', 'nos'].flatMap((pronoun) => [
    stem + own + pronoun,
    verb + pronoun,
  ])
  return [...forms, ...joined]
}

function concepts(): Map<number, number> {
  const found = new Map<number, number>()
  for (const line of CONCEPTS) {
    const stems = line.split(' ').map((word) => readWords(word).stem[0] ?? 0)
    const [first] = stems
    if (first === undefined) continue
    // A word in two concepts keeps the first.
    for (const stem of stems) if (!found.has(stem)) found.set(stem, first)
  }
  return found
}
