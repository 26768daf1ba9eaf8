import { hkdfSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { CheckpointKeys } from '../../kernel/ports/audit.ts'
import type { TokenKeys } from '../../kernel/ports/keys.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import {
  createCheckpointKeys,
  checkpointKeyId,
  isCheckpointKey,
  newCheckpointKey,
  type CheckpointKey,
} from './checkpoint-keys.ts'
import { openPrivateFolder, readPrivateFile, writePrivateFile } from './key-files.ts'
import { createTokenKeys, MIN_KEY_BYTES } from './token-keys.ts'
import { readFileSync, statSync } from 'node:fs'

type Env = Readonly<Record<string, string | undefined>>

/** Words of examples and templates. A key that contains one was copied, not generated. */
const PLACEHOLDER =
  /change.?me|replace.?(me|this)|default|example|placeholder|your.?(secret|key)|insecure|test.?key|dev.?key/i
/** Random keys in hex or base64 have at least this many different characters. */
const MIN_DISTINCT = 8

function readReference(reference: string, env: Env): Result<string> {
  if (reference.startsWith('env:')) {
    const value = env[reference.slice(4)]
    return value === undefined || value === '' ? refuse('key.absent', { file: reference, why: 'not set' }) : ok(value)
  }
  if (!reference.startsWith('file:')) return refuse('key.absent', { why: 'a key is given as env:NAME or file:PATH' })
  const file = reference.slice(5)
  try {
    // Mounted secrets are symbolic links and may belong to a group, so only world-readable files are rejected here.
    const mode = statSync(file).mode
    const isWorldOpen = process.platform !== 'win32' && (mode & 0o007) !== 0
    if (isWorldOpen)
      return refuse('key.absent', {
        file: reference,
        mode: (mode & 0o777).toString(8).padStart(4, '0'),
        why: 'readable by other users',
      })
    return ok(readFileSync(file, 'utf8').replace(/\r?\n$/, ''))
  } catch {
    return refuse('key.absent', { file: reference, why: 'cannot be read' })
  }
}

/** A token key by reference: the bytes of the text itself. Never printed; a problem names only the reference. */
function resolveTokenKey(reference: string, env: Env): Result<Buffer> {
  const read = readReference(reference, env)
  if (!read.ok) return read
  const key = Buffer.from(read.value)
  if (key.byteLength < MIN_KEY_BYTES)
    return refuse('key.absent', { file: reference, why: `shorter than ${MIN_KEY_BYTES} bytes` })
  const isMadeUp = new Set(read.value).size < MIN_DISTINCT || PLACEHOLDER.test(read.value)
  return isMadeUp ? refuse('key.absent', { file: reference, why: 'a placeholder, not a key' }) : ok(key)
}

export const TOKEN_FILE = 'token-keys.json'
export const CHECKPOINT_FILE = 'checkpoint-keys.json'

/** 32 random bytes in hex each. One file, so that a rotation replaces both at once. */
type TokenFile = { readonly v: 1; readonly active: string; readonly previous?: string }
type CheckpointFile = {
  readonly v: 1
  readonly active: Required<CheckpointKey>
  readonly retired: readonly CheckpointKey[]
}

export type KeySource = {
  readonly folder: string
  /** A data folder without any data: missing keys are created. Otherwise a missing key means that it was lost. */
  readonly fresh: boolean
  readonly env: Env
  /** `env:NAME` or `file:PATH` instead of the folder's own token key. */
  readonly token_key?: string
  readonly previous_token_key?: string
}
/** Keys for one purpose, the same on every node that has the token key. The first one signs, and all of them verify. */
export type DerivedKeys = (purpose: string) => readonly [Buffer, ...Buffer[]]
export type Keys = {
  readonly tokens: TokenKeys
  readonly checkpoints: CheckpointKeys
  readonly derived: DerivedKeys
}

const HEX_KEY = new RegExp(`^[0-9a-f]{${MIN_KEY_BYTES * 2},}$`)
const isHexKey = (value: unknown): value is string =>
  typeof value === 'string' && HEX_KEY.test(value) && value.length % 2 === 0 && new Set(value).size > 1
const newTokenKey = (): string => randomBytes(MIN_KEY_BYTES).toString('hex')

function isTokenFile(value: unknown): value is TokenFile {
  const { v, active, previous } = value as Partial<Record<keyof TokenFile, unknown>>
  return v === 1 && isHexKey(active) && (previous === undefined || isHexKey(previous))
}

function isCheckpointFile(value: unknown): value is CheckpointFile {
  const { v, active, retired } = value as Partial<CheckpointFile>
  if (v !== 1 || active?.seed === undefined || !Array.isArray(retired)) return false
  return [active, ...(retired as readonly unknown[])].every(isCheckpointKey)
}

function parse(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? {}
  } catch {
    return {}
  }
}

function save<T>(file: string, value: T): Result<T> {
  const written = writePrivateFile(file, `${JSON.stringify(value)}\n`)
  return written.ok ? ok(value) : written
}

/** Reads a key file. One that exists but cannot be used is never replaced: what it signed could no longer be verified. */
function load<T>(file: string, isUsable: (value: unknown) => value is T, make: (() => T) | undefined): Result<T> {
  const text = readPrivateFile(file)
  if (!text.ok) return text
  if (text.value !== undefined) {
    const value = parse(text.value)
    return isUsable(value) ? ok(value) : refuse('key.absent', { file, why: 'unreadable, too short or not random' })
  }
  if (make === undefined) return refuse('key.absent', { file, why: 'missing' })
  return save(file, make())
}

const loadTokenFile = (folder: string, fresh: boolean): Result<TokenFile> =>
  load(join(folder, TOKEN_FILE), isTokenFile, fresh ? () => ({ v: 1, active: newTokenKey() }) : undefined)

const loadCheckpointFile = (folder: string, fresh: boolean): Result<CheckpointFile> =>
  load(
    join(folder, CHECKPOINT_FILE),
    isCheckpointFile,
    fresh ? () => ({ v: 1, active: newCheckpointKey(), retired: [] }) : undefined,
  )

type TokenBytes = { readonly active: Uint8Array; readonly previous?: Uint8Array }

function referredTokenKeys(active: string, previous: string | undefined, env: Env): Result<TokenBytes> {
  const first = resolveTokenKey(active, env)
  if (!first.ok || previous === undefined) return first.ok ? ok({ active: first.value }) : first
  const second = resolveTokenKey(previous, env)
  return second.ok ? ok({ active: first.value, previous: second.value }) : second
}

function tokenKeysOf(source: KeySource): Result<TokenBytes> {
  if (source.token_key !== undefined) return referredTokenKeys(source.token_key, source.previous_token_key, source.env)
  const file = loadTokenFile(source.folder, source.fresh)
  if (!file.ok) return file
  const { active, previous } = file.value
  const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex')
  return ok({ active: bytes(active), ...(previous === undefined ? {} : { previous: bytes(previous) }) })
}

/** The signing keys of a data folder, or `key.absent` with the faulty file: a gate does not start without its keys. */
export function openKeys(source: KeySource): Result<Keys> {
  const folder = openPrivateFolder(source.folder)
  if (!folder.ok) return folder
  const tokens = tokenKeysOf(source)
  if (!tokens.ok) return tokens
  const checkpoints = loadCheckpointFile(source.folder, source.fresh)
  if (!checkpoints.ok) return checkpoints
  const { active, retired } = checkpoints.value
  const derived = derivedFrom(tokens.value)
  return ok({ tokens: createTokenKeys(tokens.value), checkpoints: createCheckpointKeys(active, retired), derived })
}

function derivedFrom({ active, previous }: TokenBytes): DerivedKeys {
  const derive = (key: Uint8Array, purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, MIN_KEY_BYTES))
  return (purpose) => [derive(active, purpose), ...(previous === undefined ? [] : [derive(previous, purpose)])]
}

/** A new active token key; the previous one still verifies, the one before does not. Open the keys again to use it. */
export function rotateTokenKey(folder: string): Result<void> {
  const file = loadTokenFile(folder, false)
  if (!file.ok) return file
  const next: TokenFile = { v: 1, active: newTokenKey(), previous: file.value.active }
  const saved = save(join(folder, TOKEN_FILE), next)
  return saved.ok ? ok(undefined) : saved
}

/** A new active checkpoint key; only the public half of the old one is kept, permanently. Returns the new key's id. */
export function rotateCheckpointKey(folder: string): Result<string> {
  const file = loadCheckpointFile(folder, false)
  if (!file.ok) return file
  const { active: old, retired } = file.value
  const active = newCheckpointKey()
  const next: CheckpointFile = { v: 1, active, retired: [...retired, { public: old.public }] }
  const saved = save(join(folder, CHECKPOINT_FILE), next)
  return saved.ok ? ok(checkpointKeyId(active.public)) : saved
}
