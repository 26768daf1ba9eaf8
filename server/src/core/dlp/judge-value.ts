import { isPlaceholder } from './placeholder.ts'
import { isUuid, looksRandom } from './randomness.ts'
import type { NameSays } from './secret-name.ts'

/** Words of messages and labels, which stand in quotes beside a name like `password` without being one. */
const PROSE =
  /\b(?:password|passphrase|secret|token|key|your|you|enter|the|this|must|should|please|invalid|incorrect|wrong|forgot|reset|confirm|is|are|was|not|be|new|old|current)\b/i
/** Code instead of a value: a call, an index, a member. */
const CALL = /^[!~&*]{0,2}[\w.$:>?-]+[([]|\(\)?;?$/
const MEMBER = /^[!~&*]{0,2}[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+$/

/** Whether the value beside such a name is a secret itself, and not a reference to one, a stand-in or a message about it. */
export function isSecretValue(says: NameSays, value: string, quoted: boolean): boolean {
  if (says === 'nothing' || isPlaceholder(value)) return false
  if (says === 'password') return quoted ? isQuotedPassword(value) : isBarePassword(value)
  if (says === 'pass') return isBarePassword(value)
  if (isUuid(value)) return says === 'credential'
  if (says === 'credential' && quoted && isNoName(value)) return true
  return looksRandom(value, says === 'credential' ? 10 : 20) && !isWholeName(value)
}

/** What no identifier, path or message looks like: letters in one long run, or many kinds of punctuation. */
function isNoName(value: string): boolean {
  if (/\s/.test(value)) return false
  return /^[a-z]{18,}$/.test(value) || new Set(value.match(/[!@#$%^&*(){}[\]<>~+?]/g)).size >= 5
}

function isQuotedPassword(value: string): boolean {
  if (value.length < 4 || value.length > 200 || !/[A-Za-z0-9]/.test(value)) return false
  if (/\s/.test(value)) return value.split(/\s+/).length <= 6 && !PROSE.test(value) && /[A-Za-z]{3}/.test(value)
  return !(MEMBER.test(value) && !/\d/.test(value)) && !/^(?:https?|file):\/\//.test(value) && !isWholeName(value)
}

/** Without quotes a value may be code, so it has to look less like a word. */
function isBarePassword(value: string): boolean {
  if (value.length < 6 || value.length > 200 || CALL.test(value) || MEMBER.test(value)) return false
  if (!/[A-Za-z]/.test(value)) return /^\d{6,}$/.test(value)
  return (/\d/.test(value) || /[!@#$%^&*~+?{}]/.test(value) || isNoName(value)) && !isWholeName(value)
}

/** `DB_PASSWORD`, `MY_TOKEN_2`: the name of a variable that holds the secret. */
function isWholeName(value: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && !/\d{3}/.test(value)
}
