import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { DATA_NOUNS, RESULT_NOUNS } from '../../kernel/text/lexicon.ts'
import { splitWords } from '../../kernel/text/split-words.ts'

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Parameters that name one thing among many, whatever it is. */
const NAMING = list(`
  address cid code month week quarter period season
  cve coordinates cursor date day doi file filename filepath filter filters guid handle hash host id identifier ids index ip isbn issn key keys
  keyword keywords lang language lat latitude location name names number path pattern place prefix q query ref reference search sha
  slug symbol tag term ticker topic uid uri url urn username uuid version year zip
`)
/** Nouns for what is said about a thing, or for a part of a whole: asking for one of these needs no identifier. */
const VIEWS = list(`
  array average breakdown catalog chart count excerpt explanation export fact feed glance graph history image index joke json list listing
  map outline overview page picture preview quote random readout report sample screenshot snapshot snippet subset sum summary
  text thumbnail timeline total transcript tree view
`)

/** "Get a haircut" with a `salon_id`: nothing among the parameters says which one, so there was none before the call. */
export function unselected(opening: string, schema: JsonObject): string | undefined {
  const found =
    /^\W{0,8}(?:find|get|fetch|obtain|retrieve)(?:s|es)? (?:an?|another|some|more|your) ((?:[\p{L}\p{N}'’-]+ ){0,3}?[\p{L}\p{N}-]+)(?= (?:about|at|before|for|from|in|into|near|of|on|so|to|under|until|who|with)\b|[.;(]|$)/u.exec(
      opening,
    )
  if (found === null) return undefined
  const words = splitWords(found[1] ?? '')
  if (/['’]|\b(?:by|of|based|given|particular|single|specific)\b/u.test(found[1] ?? '')) return undefined
  if (words.some((word) => RESULT_NOUNS.has(word) || DATA_NOUNS.has(word) || VIEWS.has(word))) return undefined
  const params = Object.entries(isJsonObject(schema['properties']) ? schema['properties'] : {}).map(
    ([key, param]) => [splitWords(key), splitWords(descriptionOf(param))] as const,
  )
  if (params.length === 0 && !/\b(?:another|more|some|your)\b/u.test(found[0])) return undefined
  const names = ([param, description]: readonly [readonly string[], readonly string[]]): boolean =>
    (param.length === 1 && NAMING.has(param[0] ?? '')) ||
    [...param, ...description].some((word) => words.some((one) => isSame(one, word)))
  return params.some(names) ? undefined : found[0]
}

const descriptionOf = (param: Json): string =>
  isJsonObject(param) && typeof param['description'] === 'string' ? param['description'].slice(0, 200) : ''
const isSame = (one: string, other: string): boolean => one === other || `${one}s` === other || one === `${other}s`

/** Selectors that are objects, and texts that a read may be given to compare with. */
const SELECTING = list(`
  arguments args bounds bbox columns condition conditions config constraints context coordinates criteria fields filter filters geometry
  headers include input inputs location match match_stage options opts order page pagination params parameters pipeline point position projection query range selector settings sort
  time_range variables where
`)
const MATERIAL = list(
  'alt caption comment content description message note points reason score subject summary text title',
)

/** An id says which thing, a text or an object says what to do with it: reads only need the first. */
export function idWithContent(schema: JsonObject): string | undefined {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const keys = Object.keys(properties).sort()
  const id = keys.find((key) => /(?:^|_)(?:id|uuid|guid)$/.test(splitWords(key).join('_')))
  const required: readonly Json[] = Array.isArray(schema['required']) ? schema['required'] : keys
  const content = keys.find((key) => {
    const param = properties[key]
    const name = splitWords(key).join('_')
    if (!isJsonObject(param) || !required.includes(key) || SELECTING.has(name)) return false
    return (
      (MATERIAL.has(name) && param['enum'] === undefined && param['type'] !== 'boolean') || param['type'] === 'object'
    )
  })
  return id === undefined || content === undefined ? undefined : `takes ${id} and ${content}`
}
