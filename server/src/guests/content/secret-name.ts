/** The words of a name, lower case: `jobCredentialsId` and `JOB_CREDENTIALS_ID` both give job, credentials, id. */
export function wordsOf(name: string): string[] {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
  return spaced
    .toLowerCase()
    .replaceAll('ñ', 'n')
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
}

/**
 * Whether a name contains a keyword as a word: at the start of a word (a short keyword must be the whole word), or as several
 * whole words. `SumoLogic` and `sumologic_id` contain "sumologic"; `sumOfExposures` does not contain "sumo", nor `rookTable`
 * "okta".
 */
export function namesWord(words: readonly string[], keyword: string): boolean {
  return words.some((word, index) => {
    if (word === keyword || (keyword.length > 3 && word.startsWith(keyword))) return true
    let joined = word
    for (let next = index + 1; next < words.length && joined.length < keyword.length; next++) joined += words[next]
    return joined === keyword
  })
}

const list = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Last words that mean the value is something else: the name of a secret, its location, its length. */
const DESCRIBES = list(
  `id ids uuid guid name names url uri urls link href endpoint host hostname port file files filename path dir directory folder
   size length len min max count limit type types kind version ver format encoding algorithm alg method mode status state
   provider source policy rule rules field fields label title text description desc hint help message msg error errors
   placeholder header headers prefix suffix regex pattern expiry expires expiration expired ttl timeout age date time at
   selector store storage ring space pair pairs tab board board word words code codes map ref reference arn alias index
   checksum digest fingerprint env var variable variables param params option options enabled disabled required
   valid invalid strength confirmation reset change changed update updated created rotation manager service class module
   page template form input view controller handler helper util utils test tests spec func function callback results
   chars charset alphabet kid hash usage scope scopes issuer audience subject owner holder vault region zone column`,
)
/** Words that make the whole name harmless: a public key, a page token. */
const HARMLESS = list(
  `public pub csrf xsrf antiforgery authenticity requestverification next nextpage page prev continuation cursor sync pagination
   primary foreign partition sort cache i18n translation locale idempotency tokenizer tokenize tokenizers monkey turkey keyboard
   hockey jockey whiskey keyword keywords integrity snapshot etag commit revision srcrev sha checksum md5 max min total num
   publishable anonymous`,
)
/** Names of operations on a secret: `update_password`, `hasToken`. */
const DOES = list(
  `update reset change forgot forget get has is show hide toggle validate check generate require requires use uses need needs no
   with without verify confirm invalid missing wrong bad`,
)
/** Last words that add nothing: `tokenValue`, `var apiToken string =`. */
const NEUTRAL = list(
  'string str text value val here raw plain plaintext bytes char const is was plus data real prod dev staging live',
)

const PASSWORDS = list(
  'password passwd passphrase passcode passwort pwd pw passw psk contrasena contrasenya senha secret',
)
const PASSWORD_ENDING = /(?:password|passwd|passphrase|pwd|secret)$/
const CREDENTIALS = list(
  'salt nonce token tokens credential credentials creds cred auth authorization oauth bearer apikey apikeys authkey',
)
const CREDENTIAL_ENDING =
  /(?:token|apikey|accesskey|secretkey|authkey|privatekey|privkey|signingkey|encryptionkey|masterkey|sharedkey|accountkey|servicekey|licensekey|sharedaccesskey|subscriptionkey)$/
/** Words that turn "key" into a secret. */
const KEY_OF = list(
  `api access secret private priv auth encryption encrypt signing sign service account master shared client app application
   deploy deployment subscription license admin root user ssh rsa hmac aes jwt session cloud iam bot webhook consumer
   developer dev integration management personal project team read write server product prod production sandbox crypto
   cipher decryption partner merchant server sdk rest ingest ingestion write agent sas`,
)

/** Whether the name is of something public. */
export const isHarmless = (words: readonly string[]): boolean => words.some((word) => HARMLESS.has(word))

export type NameSays = 'password' | 'pass' | 'credential' | 'key' | 'nothing'

/** What a name says about its value. */
export function nameSays(words: readonly string[]): NameSays {
  const own = [...words]
  while (own.length > 1 && NEUTRAL.has(own.at(-1) ?? '')) own.pop()
  const last = own.at(-1)
  if (last === undefined || DESCRIBES.has(last) || isHarmless(own)) return 'nothing'
  if (own.some((word) => PASSWORDS.has(word) || PASSWORD_ENDING.test(word)) && !isKeyOfSecret(own)) {
    return own.length > 1 && DOES.has(own[0] ?? '') ? 'pass' : 'password'
  }
  if (own.some((word) => CREDENTIALS.has(word) || CREDENTIAL_ENDING.test(word))) return 'credential'
  if (isKeyOfSecret(own)) return 'credential'
  // A weak signal: a test can pass too.
  if (last === 'pass') return 'pass'
  return (last === 'key' || last === 'api') && own.length > 1 ? 'key' : 'nothing'
}

/** `secret_access_key` is a machine's key and not a person's password. */
function isKeyOfSecret(words: readonly string[]): boolean {
  return words.some((word, index) => word === 'key' && index > 0 && KEY_OF.has(words[index - 1] ?? ''))
}
