import { readFileSync, statSync } from 'node:fs'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { MIN_KEY_BYTES } from './token-keys.ts'

export type Env = Readonly<Record<string, string | undefined>>

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
export function resolveTokenKey(reference: string, env: Env): Result<Buffer> {
  const read = readReference(reference, env)
  if (!read.ok) return read
  const key = Buffer.from(read.value)
  if (key.byteLength < MIN_KEY_BYTES)
    return refuse('key.absent', { file: reference, why: `shorter than ${MIN_KEY_BYTES} bytes` })
  const isMadeUp = new Set(read.value).size < MIN_DISTINCT || PLACEHOLDER.test(read.value)
  return isMadeUp ? refuse('key.absent', { file: reference, why: 'a placeholder, not a key' }) : ok(key)
}
