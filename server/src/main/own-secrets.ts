import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { secretOf } from '../adapters/upstream/server-config.ts'
import { placesIn } from './data-folder.ts'
import type { Settings } from './load-config.ts'

/**
 * The secrets that the gate itself holds in full: its signing keys, and what the configuration refers to by
 * `env:` and `file:`. Honey tokens are not included: they must be found where they were put. API keys and approval tokens are
 * recognized by their format.
 */
export function ownSecrets({ config, folder, data }: Settings): readonly string[] {
  const { traps: _traps, policy: _policy, ...rest } = config
  const referred = referencesIn(rest).flatMap((reference) => secretOf(reference, folder, process.env) ?? [])
  const { keys } = placesIn(data)
  const passwords = [...referred, ...addressesIn(rest)].flatMap(passwordIn)
  return [...referred.flatMap(searchablePart), ...passwords.flatMap(searchablePart), ...signingKeys(keys)]
}

/** Fields that contain a secret even if it is written out. */
const SECRET_FIELD = /^(?:secret|token|key|password|client_secret|bearer|authorization)$/i

function referencesIn(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string') return /^(?:env|file):/.test(value) || SECRET_FIELD.test(key) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => referencesIn(field, name))
}

/** Addresses in the configuration, such as that of a database. */
function addressesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes('://') ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(addressesIn)
}

/** The password in an address, as it is written there and as it is used. */
function passwordIn(address: string): readonly string[] {
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:]*:([^/?#\s]+)@/i.exec(address.trim()) ?? []
  return password === undefined ? [] : [...new Set([password, percentDecoded(password)])]
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A short secret, or a plain word, would be found in unrelated texts. */
function searchablePart(secret: string): readonly string[] {
  const [line = ''] = secret.split(/\r?\n/).toSorted((one, other) => other.length - one.length)
  const isDistinctive = line.length >= 20 || (line.length >= 12 && /\d/.test(line) && /[A-Za-z]/.test(line))
  return isDistinctive && !/^(?:[./~]|https?:)/.test(line) ? [line] : []
}

const KEY_IN_FILE = /(?<="(?:active|previous|seed|secret|private_key)":\s?")[\w+/=-]{32,}/g

function signingKeys(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    const texts = files.map(({ name }) => readFileSync(join(folder, name), 'utf8'))
    return texts.flatMap((text) => text.match(KEY_IN_FILE) ?? [])
  } catch {
    return []
  }
}
