import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Bug, ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { openPrivateFolder, readPrivateFile, writePrivateFile } from './key-files.ts'

/** Seals texts, so that somebody who has the database but not the keys cannot read them. */
export type Sealing = {
  /** `place`: what the text is a part of. It can be opened only there. */
  seal(text: string, place: string): string
  /** Throws a Bug for a text that this key did not seal for that place. */
  open(sealed: string, place: string): string
}

export const SEAL_KEY_FILE = 'seal-key.json'

/** Where the master key comes from: a file, the output of a command, or a file beside the other keys. */
export type SealSource =
  | { readonly file: string }
  /** A command, in a configuration that the user has not trusted. */
  | { readonly untrusted: string }
  | { readonly command: readonly [string, ...string[]] }
  | { readonly folder: string; readonly mayMake: boolean }

const HEX_KEY = /^[0-9a-f]{64}$/
const COMMAND_MS = 10_000

/** 32 bytes as 64 hex digits, from any source. */
export function readMasterKey(source: SealSource): Result<Buffer> {
  if ('folder' in source) return ownMasterKey(source.folder, source.mayMake)
  if ('untrusted' in source) return refuse('config.not_trusted', { file: source.untrusted })
  const where = 'file' in source ? source.file : source.command.join(' ')
  let text: string
  try {
    if ('file' in source) text = readFileSync(source.file, 'utf8')
    else {
      const [program, ...words] = source.command
      text = execFileSync(program, words, {
        encoding: 'utf8',
        timeout: COMMAND_MS,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    }
  } catch {
    return refuse('key.absent', { file: where, why: 'it cannot be read' })
  }
  const key = text.trim().toLowerCase()
  return HEX_KEY.test(key)
    ? ok(Buffer.from(key, 'hex'))
    : refuse('key.absent', { file: where, why: 'not 64 hex digits' })
}

function ownMasterKey(folder: string, mayMake: boolean): Result<Buffer> {
  const opened = openPrivateFolder(folder)
  if (!opened.ok) return opened
  const file = join(folder, SEAL_KEY_FILE)
  const text = readPrivateFile(file)
  if (!text.ok) return text
  const found = text.value === undefined ? undefined : /"secret":"([0-9a-f]{64})"/.exec(text.value)?.[1]
  if (found !== undefined) return ok(Buffer.from(found, 'hex'))
  if (text.value !== undefined || !mayMake)
    return refuse('key.absent', { file, why: text.value === undefined ? 'missing' : 'unreadable' })
  const secret = randomBytes(32).toString('hex')
  const written = writePrivateFile(file, `${JSON.stringify({ v: 1, secret })}\n`)
  return written.ok ? ok(Buffer.from(secret, 'hex')) : written
}

const IV_BYTES = 12
const TAG_BYTES = 16
/** How many data keys of other months and nodes are cached. */
const MOST_KEYS = 1_000

type DataKey = { readonly month: string; readonly key: Buffer; readonly wrapped: string }

/**
 * AES-256-GCM with a data key per month, which is stored with what it seals, wrapped by the master key: `1.<wrapped>.<sealed>`.
 * So nodes need not agree on a data key, and nothing else has to be stored.
 */
export function createSealing(master: Buffer, clock: () => number): Sealing {
  const unwrapped = new Map<string, Buffer>()
  const id = hash('sha256', master).slice(0, 8)
  let current: DataKey | undefined

  const dataKey = (): DataKey => {
    const month = new Date(clock()).toISOString().slice(0, 7)
    if (current?.month !== month) {
      const key = randomBytes(32)
      current = { month, key, wrapped: encrypt(master, key, `data key ${id}`) }
    }
    return current
  }
  const unwrap = (wrapped: string): Buffer => {
    const known = unwrapped.get(wrapped) ?? decrypt(master, wrapped, `data key ${id}`)
    unwrapped.set(wrapped, known)
    const [oldest] = unwrapped.size > MOST_KEYS ? unwrapped.keys() : []
    if (oldest !== undefined) unwrapped.delete(oldest)
    return known
  }
  return {
    seal(text, place) {
      const { key, wrapped } = dataKey()
      return `1.${wrapped}.${encrypt(key, Buffer.from(text, 'utf8'), place)}`
    },
    open(sealed, place) {
      const [version, wrapped, body] = sealed.split('.')
      if (version !== '1' || wrapped === undefined || body === undefined)
        throw new Bug('a sealed text has an unknown format')
      try {
        return decrypt(unwrap(wrapped), body, place).toString('utf8')
      } catch (cause) {
        throw new Bug(`what was sealed for \`${place}\` cannot be opened with this key`, { cause })
      }
    },
  }
}

function encrypt(key: Buffer, bytes: Buffer, place: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(place, 'utf8'))
  return Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

function decrypt(key: Buffer, text: string, place: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(place, 'utf8')).setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
}
