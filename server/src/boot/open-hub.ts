import { randomBytes } from 'node:crypto'
import type { AttachedHub } from '../commands/ports/hub.ts'
import type { Config } from '../contract/config.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { openPinnedKeys } from '../keys/hub-keys.ts'
import { httpHub } from '../upstream/hub/http-hub.ts'
import { secretOf } from '../upstream/server-config.ts'

/** The hub of a node, with its secret fetched; undefined for a gate that decides by itself. */
export function openHub(
  settings: Config['hub'],
  folder: string,
  stopping: AbortSignal,
): Result<AttachedHub | undefined> {
  if (settings === undefined) return ok(undefined)
  const { url, node, key: reference, public_keys, answer_s } = settings
  const key = secretOf(reference, folder, process.env)
  if (key === undefined || key === '') return refuse('config.invalid', { paths: 'hub.key: the secret is missing' })
  return ok({
    node,
    where: url,
    url,
    answer_ms: answer_s * 1_000,
    pinned: openPinnedKeys(public_keys),
    link: httpHub({ url, key, stopping }),
  })
}

export const newNonce = (): string => randomBytes(16).toString('hex')
