import { createCipheriv, createECDH, createHmac, createPrivateKey, randomBytes, sign } from 'node:crypto'

const hmac = (key: Buffer, ...parts: readonly (Buffer | string)[]) =>
  parts.reduce((mac, part) => mac.update(part), createHmac('sha256', key)).digest()

export type PushKeys = { readonly p256dh: string; readonly auth: string }
export type Chance = { readonly salt: Buffer; readonly privateKey?: Buffer }

/** One message for one browser (RFC 8291): only that browser can read it, not the push service. Throws for an invalid key. */
export function encryptPush(
  text: string,
  { p256dh, auth }: PushKeys,
  chance: Chance = { salt: randomBytes(16) },
): Buffer {
  const browser = Buffer.from(p256dh, 'base64url')
  const own = createECDH('prime256v1')
  if (chance.privateKey === undefined) own.generateKeys()
  else own.setPrivateKey(chance.privateKey)
  const ours = own.getPublicKey()
  const shared = hmac(Buffer.from(auth, 'base64url'), own.computeSecret(browser))
  const secret = hmac(shared, 'WebPush: info\0', browser, ours, '\u0001')
  const pseudo = hmac(chance.salt, secret)
  const key = hmac(pseudo, 'Content-Encoding: aes128gcm\0\u0001').subarray(0, 16)
  const nonce = hmac(pseudo, 'Content-Encoding: nonce\0\u0001').subarray(0, 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const sealed = Buffer.concat([cipher.update(text), cipher.update('\u0002'), cipher.final(), cipher.getAuthTag()])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(4096)
  return Buffer.concat([chance.salt, size, Buffer.from([ours.length]), ours, sealed])
}

export type VapidKey = { readonly public_key: string; readonly private_key: string }

export function newVapidKey(): VapidKey {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  return { public_key: pair.getPublicKey('base64url'), private_key: pair.getPrivateKey('base64url') }
}

/** Identifies the sender to a push service (RFC 8292), for twelve hours. */
export function vapidHeader(
  { public_key, private_key }: VapidKey,
  endpoint: string,
  subject: string,
  now: number,
): string {
  const point = Buffer.from(public_key, 'base64url')
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const key = createPrivateKey({ key: { kty: 'EC', crv: 'P-256', x, y, d: private_key }, format: 'jwk' })
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + 43_200, sub: subject }
  const text = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  return `vapid t=${text}.${signature}, k=${public_key}`
}
