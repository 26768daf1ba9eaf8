import { decodeBase64 } from '../../kernel/text/base64.ts'
import { isPlaceholder, isStandIn } from './placeholder.ts'
import { entropyOf, isUuid, looksRandom, wordShare } from './randomness.ts'
import { isSecretValue, type Quoted } from './judge-value.ts'
import { isHarmless, nameSays, wordsOf } from './secret-name.ts'

/** A JSON Web Token: its header decodes to an object that names its algorithm. */
export function isJwt(token: string): boolean {
  const header = decodeBase64(token.slice(0, token.indexOf('.')))
  return header !== undefined && /^\s*\{/.test(header) && header.trimEnd().endsWith('}') && header.includes('"alg"')
}

/** A JSON Web Token that was base64-encoded once more. */
export function isEncodedJwt(token: string): boolean {
  const decoded = decodeBase64(token)
  return decoded !== undefined && /^eyJ[\w-]{8,}\.(?:eyJ|[\w-]{8,})/.test(decoded)
}

const KEY_HEADER = /^-{4,5} ?BEGIN [A-Z0-9 ]{1,40}-{4,5}/i
const KEY_TEXT = /(?:[A-Za-z0-9+/=\s,:.-]|\\[nr]){0,4000}/y

/**
 * How much of a block is a private key: it must have a body, up to its end mark or, if that is missing, as far as it can be a
 * key.
 */
export function keyBlockLength(block: string): number {
  const header = KEY_HEADER.exec(block)?.[0].length ?? 0
  const closed = /-{4,5} ?END [A-Z0-9 ]{1,40}-{4,5}$/i.exec(block)
  KEY_TEXT.lastIndex = header
  const end = closed?.index ?? header + (KEY_TEXT.exec(block)?.[0].length ?? 0)
  const body = block.slice(header, end)
  const hasLines = /^(?:\r?\n|\\n|\\r)/.test(body) && body.replace(/[^A-Za-z0-9+/=]/g, '').length >= 12
  if (isStandIn(body) || !(hasLines || /^\s?[A-Za-z0-9+/=]{40}/.test(body))) return 0
  return closed === null ? end : block.length
}

/**
 * The password in a URL. Any word counts, because nobody writes one there by chance, but not a reference or the
 * `user:password@host` of a manual.
 */
export function isUrlPassword(password: string, text: string, end: number): boolean {
  if (isStandIn(password) || /^[$<{[%]|^:?\w*\}|\}$|^\d{1,5}$/.test(password)) return false
  return !(
    isPlaceholder(password) &&
    /^@(?:host|hostname|server|domain|your|my|db|example|localhost|127\.0\.0\.1|0\.0\.0\.0)\b/i.test(
      text.slice(end, end + 12),
    )
  )
}

/** The user and password in a command: `user:password`, where either may be empty. */
export function isUserAndPassword(pair: string, text: string, start: number): boolean {
  if (!/curl|wget|BUNDLE_/.test(text.slice(Math.max(0, start - 600), start))) return false
  const plain = pair.replace(/["'{}]/g, '')
  const colon = plain.indexOf(':')
  const [user, password] = [plain.slice(0, colon), plain.slice(colon + 1)]
  const secret = password === '' ? user : password
  return secret.length >= 4 && !/^[{$]|\$\(/.test(pair) && !/[$<[{]/.test(secret.charAt(0)) && !isPlaceholder(secret)
}

/** HTTP basic credentials: base64 of something with a colon. */
export function isBasicCredentials(encoded: string): boolean {
  const decoded = decodeBase64(encoded)
  return decoded !== undefined && /^[\x20-\x7e]{0,200}:[\x20-\x7e]*$/.test(decoded)
}

/** Upper case, lower case and digits together: rare in names, certain in long random strings. */
export const mixesAll = (text: string): boolean => /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text)

export const isNoSample = (text: string): boolean => !/EXAMPLE|SAMPLE/.test(text)

/** The values of a Kubernetes Secret, in the same document as its kind; templates and empty values do not count. */
export function isKubernetesData(block: string, text: string, start: number, end: number): boolean {
  const before =
    text
      .slice(Math.max(0, start - 1000), start)
      .split(/^---/m)
      .at(-1) ?? ''
  const after = text.slice(end, end + 1000).split(/^---/m)[0] ?? ''
  const isSecret = /(?:^|\n)[ \t]{0,20}["']?kind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret["']?[ \t]{0,4}(?:\r?\n|$|,|#)/
  if (!before.includes('Secret') && !after.includes('Secret')) return false
  if (!isSecret.test(before) && !isSecret.test(after)) return false
  return block.split('\n').some((line) => {
    const value = line.slice(line.indexOf(':') + 1).replace(/[\s"'|>]/g, '')
    return value.length >= 8 && !/[{}<>$]/.test(value) && !isStandIn(value)
  })
}

/** A quoted string without a name, or with an uninformative one: only if it is clearly random. */
export function isRandomString(value: string, text: string, start: number, end: number): boolean {
  if (text[start - 1] !== text[end] || !mixesAll(value) || isPlaceholder(value) || !looksRandom(value, 24)) return false
  if (/^sha\d{1,3}-/.test(value) || value.split('/').length > 4 || wordShare(value) > 0.3) return false
  const name = /([\w.$-]{1,64})["'\])]{0,3}[ \t]{0,4}(?:[:=]|=>|:=|\()[ \t]{0,4}$/.exec(
    text.slice(Math.max(0, start - 81), start - 1),
  )
  if (name !== null && (nameSays(wordsOf(name[1] ?? '')) !== 'nothing' || hasPlainPurpose(name[1] ?? ''))) return false
  return entropyOf(value) >= 4.3
}

/** Names whose values are long and random without being secret. */
function hasPlainPurpose(name: string): boolean {
  return /id$|ids$|hash|sha\d*|digest|checksum|etag|cursor|page|next|content|data|image|icon|signature|sig$|integrity|commit|rev|ref|url|uri|href|src|public|pub|cert|fingerprint|nonce|csrf|xsrf|token_type|node|version|name|path|file|key_?frame|body|payload|blob|value/i.test(
    name,
  )
}

/** The value of a name that suggests a person's secret: a password, a passphrase. */
export function isAssignedPassword(value: string, name: string, quoted: Quoted): boolean {
  const says = nameSays(wordsOf(name))
  return (says === 'password' || says === 'pass') && isSecretValue(says, value, quoted)
}

/** The value of a name that suggests a machine's secret: a token, an API key, credentials. */
export function isAssignedCredential(value: string, name: string, quoted: Quoted): boolean {
  const says = nameSays(wordsOf(name))
  return (says === 'credential' || says === 'key') && isSecretValue(says, value, quoted)
}

/** A password where a sentence or a call has one: not a word, a name or a placeholder. */
export const isChosenPassword = (value: string): boolean => isSecretValue('password', value, false)

/** "the master key 47d574…": a random value after the name of a secret, with nothing but a space between. */
export function isSpacedCredential(value: string, text: string, start: number): boolean {
  const name =
    text
      .slice(Math.max(0, start - 40), start)
      .split(/[^\w \t-]/)
      .at(-1) ?? ''
  const words = wordsOf(name.trim().replace(/["'`]$/, '')).slice(-3)
  const says = nameSays(words)
  if (says === 'nothing' && words.at(-1) !== 'token') return false
  if (isHarmless(words) || isPlaceholder(value) || !/\d/.test(value)) return false
  return isUuid(value) ? says === 'credential' && words.length > 1 : looksRandom(value, 24) && wordShare(value) < 0.3
}

const ALGORITHM = /hmac|sha\d|pbkdf|argon|bcrypt|scrypt|oauth|base64|utf|md5/i

/** "passphrase WLjk4P9wBHwa": words that follow the name of a password are rarely made of letters and several digits. */
export const isSpacedPassword = (value: string): boolean => {
  const plain = value.replace(/(?<![.,;:!?)])[.,;:!?)]+$/, '')
  if (plain.length < 8 || ALGORITHM.test(plain) || isPlaceholder(plain) || !/[a-z]/i.test(plain)) return false
  const digits = plain.match(/\d/g)?.length ?? 0
  return (
    digits >= 2 &&
    /^[\w!@#%^&*+=.-]+$/.test(plain) &&
    (mixesAll(plain) || /[!@#%^&*+=]/.test(plain)) &&
    isSecretValue('password', plain, false)
  )
}
