import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

const url = (bytes: Buffer) => bytes.toString('base64url')
const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
const text = (words: string) => Buffer.concat([head(3, words.length), Buffer.from(words)])
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value])

/** The head of a CBOR item of some length or value. */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}

export type Site = { readonly origin: string; readonly host: string }
type Quirks = { readonly flags?: number; readonly counter?: number; readonly origin?: string; readonly key?: KeyObject }

/** An authenticator in software: what a phone or a security key would sign. */
export function softwarePasskey({ origin, host }: Site) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  let counter = 0
  const clientData = (type: string, challenge: string, at = origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }))
  const authData = (flags: number, count: number, more = Buffer.alloc(0)) => {
    const tail = Buffer.alloc(5)
    tail[0] = flags
    tail.writeUInt32BE(count, 1)
    return Buffer.concat([sha256(host), tail, more])
  }
  const shared = { id: url(id), rawId: url(id), type: 'public-key', clientExtensionResults: {} }
  return {
    id: url(id),
    privateKey,
    register(challenge: string, { flags = 0x45, origin: at }: Quirks = {}) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const key = Buffer.concat([
        Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
        bytes(Buffer.from(x, 'base64url')),
        Buffer.from([0x22]),
        bytes(Buffer.from(y, 'base64url')),
      ])
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        text('fmt'),
        text('none'),
        text('attStmt'),
        Buffer.from([0xa0]),
        text('authData'),
        bytes(authData(flags, counter, credential)),
      ])
      const clientDataJSON = url(clientData('webauthn.create', challenge, at))
      return { ...shared, response: { clientDataJSON, attestationObject: url(attestationObject) } }
    },
    assert(challenge: string, { flags = 0x05, counter: count, origin: at, key = privateKey }: Quirks = {}) {
      counter += 1
      const data = authData(flags, count ?? counter)
      const client = clientData('webauthn.get', challenge, at)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), key)
      const response = { clientDataJSON: url(client), authenticatorData: url(data), signature: url(signature) }
      return { ...shared, response }
    },
  }
}
