import { join } from 'node:path'
import { CompactSign, compactVerify, decodeJwt, errors } from 'jose'
import type { HubKeys, PinnedKeys } from './ports.ts'
import { HubReply, type HubKeysAnswer } from './hub.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import {
  checkpointKeyId,
  isCheckpointKey,
  newCheckpointKey,
  privateKeyOf,
  publicKeyOf,
  type CheckpointKey,
} from '../../adapters/keys/checkpoint-keys.ts'
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../../adapters/keys/key-files.ts'
import { refuse } from './problems.ts'

const HUB_FILE = 'hub-keys.json'
/** Nothing else that is signed with Ed25519 has this type, so no other signature can be passed off as a decision. */
const TYPE = 'sluice-hub+jws'
const LONGEST_WORD = 16_384

type HubFile = {
  readonly v: 1
  readonly active: Required<CheckpointKey>
  readonly next?: Required<CheckpointKey>
  readonly retired: readonly CheckpointKey[]
}

function isHubFile(value: unknown): value is HubFile {
  const { v, active, next, retired } = value as Partial<HubFile>
  if (v !== 1 || active?.seed === undefined || !Array.isArray(retired)) return false
  if (next !== undefined && next.seed === undefined) return false
  return [active, ...(next === undefined ? [] : [next]), ...(retired as readonly unknown[])].every(isCheckpointKey)
}

function parse(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? {}
  } catch {
    return {}
  }
}

/**
 * The hub's keys in a folder. A missing file is created: nodes pin the key, so a new one grants nothing. One that exists but
 * cannot be used is not replaced.
 */
export function openHubKeys(folder: string): HubKeys {
  const file = join(folder, HUB_FILE)

  function load(): Result<HubFile> {
    const place = openPrivateFolder(folder)
    if (!place.ok) return place
    const text = readPrivateFile(file)
    if (!text.ok) return text
    if (text.value === undefined) return save({ v: 1, active: newCheckpointKey(), retired: [] })
    const value = parse(text.value)
    return isHubFile(value) ? ok(value) : refuse('key.absent', { file, why: 'unreadable' })
  }
  function save(value: HubFile): Result<HubFile> {
    const written = writePrivateFile(file, `${JSON.stringify(value)}\n`)
    return written.ok ? ok(value) : written
  }
  const listed = (read: Result<HubFile>): Result<HubKeysAnswer> => (read.ok ? ok(answerOf(read.value)) : read)

  return {
    async sign(reply) {
      const read = load()
      if (!read.ok) return read
      const { public: raw, seed } = read.value.active
      const header = { alg: 'EdDSA', typ: TYPE, kid: checkpointKeyId(raw) }
      const text = new TextEncoder().encode(JSON.stringify(reply))
      return ok(await new CompactSign(text).setProtectedHeader(header).sign(privateKeyOf(seed)))
    },
    list: () => listed(load()),
    async prepare() {
      const read = load()
      if (!read.ok || read.value.next !== undefined) return listed(read)
      return listed(save({ ...read.value, next: newCheckpointKey() }))
    },
    async activate() {
      const read = load()
      if (!read.ok) return read
      const { active, next, retired } = read.value
      if (next === undefined) return refuse('hub.no_next_key')
      return listed(save({ v: 1, active: next, retired: [...retired, { public: active.public }] }))
    },
  }
}

function answerOf({ active, next, retired }: HubFile): HubKeysAnswer {
  const of = (key: CheckpointKey, state: HubKeysAnswer['keys'][number]['state']) => ({
    key: checkpointKeyId(key.public),
    public_key: key.public,
    state,
  })
  return {
    keys: [
      of(active, 'active'),
      ...(next === undefined ? [] : [of(next, 'next')]),
      ...retired.map((key) => of(key, 'retired')),
    ],
  }
}

/** INVARIANT: only a decision signed by a pinned key, with our type and exactly our claims, is genuine. */
export function openPinnedKeys(publicKeys: readonly string[]): PinnedKeys {
  const known = new Map(publicKeys.map((raw) => [checkpointKeyId(raw), publicKeyOf(raw)]))
  return {
    async read(text) {
      if (text.length > LONGEST_WORD) return { is: 'forged', why: 'too long' }
      try {
        const { payload, protectedHeader } = await compactVerify(
          text,
          ({ kid }) => {
            const key = known.get(kid ?? '')
            if (key === undefined) throw new errors.JWKSNoMatchingKey()
            return key
          },
          { algorithms: ['EdDSA'] },
        )
        const key = protectedHeader.kid ?? ''
        if (protectedHeader.typ !== TYPE) return { is: 'forged', why: 'another type', ...claimedIn(text) }
        const reply = HubReply.safeParse(parse(new TextDecoder().decode(payload)))
        if (!reply.success) return { is: 'forged', why: 'unreadable claims', ...claimedIn(text) }
        return { is: 'genuine', reply: reply.data, key }
      } catch (error) {
        const why = error instanceof errors.JWKSNoMatchingKey ? 'a key that is not pinned' : 'a bad signature'
        return { is: 'forged', why, ...claimedIn(text) }
      }
    },
  }
}

/** Which request a decision claims to be about. */
function claimedIn(text: string): { readonly approval_id?: string } {
  try {
    const { approval_id } = decodeJwt(text)
    return typeof approval_id === 'string' ? { approval_id: approval_id.slice(0, 64) } : {}
  } catch {
    return {}
  }
}
