import { join } from 'node:path'
import type { WebPush } from '../../kernel/approvals/channels-use.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { openPrivateFolder, readPrivateFile, writePrivateFile } from '../../adapters/keys/key-files.ts'
import { encryptPush, newVapidKey, vapidHeader, type VapidKey } from './web-push-encryption.ts'

/** The push services of the common browsers. Any other address is rejected. */
const SERVICES =
  /^(?:fcm\.googleapis\.com|web\.push\.apple\.com|(?:[a-z0-9-]+\.)*(?:push\.services\.mozilla\.com|notify\.windows\.com))$/

export type PushSending = {
  /** Posts, follows no redirect, and returns the status; undefined if there was no answer. */
  readonly post: (url: string, headers: Readonly<Record<string, string>>, body: Buffer) => Promise<number | undefined>
  readonly clock: () => number
  readonly subject: string
  /** Addresses of the operator's own push services; only their origins count. */
  readonly services: readonly string[]
}

const WEB_PUSH_FILE = 'web-push-key.json'

/**
 * Web push. The key that identifies this gate to browsers is created on first use; browsers that subscribed under another one are
 * lost with it.
 */
export function openWebPush(folder: string, { post, clock, subject, services }: PushSending): WebPush {
  let known: VapidKey | undefined
  const own = new Set(services.flatMap((service) => URL.parse(service)?.origin ?? []))
  const keyNow = (): Result<VapidKey> => {
    const key = known === undefined ? keyIn(folder) : ok(known)
    if (key.ok) known = key.value
    return key
  }
  return {
    publicKey() {
      const key = keyNow()
      return key.ok ? ok(key.value.public_key) : key
    },
    isAllowed(endpoint) {
      const url = URL.parse(endpoint)
      if (url !== null && url.username === '' && own.has(url.origin)) return true
      return url?.protocol === 'https:' && url.port === '' && url.username === '' && SERVICES.test(url.hostname)
    },
    isKey({ p256dh, auth }) {
      try {
        return encryptPush('', { p256dh, auth }).length > 0
      } catch {
        return false
      }
    },
    async send({ endpoint, p256dh, auth }, payload) {
      const key = keyNow()
      if (!key.ok) return 'failed'
      const body = encryptPush(JSON.stringify(payload), { p256dh, auth })
      const status = await post(
        endpoint,
        {
          authorization: vapidHeader(key.value, endpoint, subject, clock()),
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
          ttl: '3600',
          urgency: 'high',
        },
        body,
      )
      if (status === 404 || status === 410) return 'gone'
      return status !== undefined && status >= 200 && status < 300 ? 'sent' : 'failed'
    },
  }
}

/** Creates the key if there is none. */
export const makeWebPushKey = (folder: string): Result<unknown> => keyIn(folder)

function keyIn(folder: string): Result<VapidKey> {
  const private_folder = openPrivateFolder(folder)
  if (!private_folder.ok) return private_folder
  const file = join(folder, WEB_PUSH_FILE)
  const found = readPrivateFile(file)
  if (!found.ok) return found
  if (found.value !== undefined) {
    const read = JSON.parse(found.value) as Partial<VapidKey>
    if (typeof read.public_key === 'string' && typeof read.private_key === 'string')
      return ok({ public_key: read.public_key, private_key: read.private_key })
    return refuse('key.absent', { file, why: 'not a key' })
  }
  const made = newVapidKey()
  const written = writePrivateFile(file, JSON.stringify(made))
  return written.ok ? ok(made) : written
}
