import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ChallengeClaims, Passkeys } from '../commands/ports/keys.ts'
import type { DerivedKeys } from './key-folder.ts'
import { PASSKEY_LIMITS, type PasskeyRow } from '../contract/passkey.ts'

const NONCE = 16
const TIME = 8
const MAC = 32

/** The library is loaded with the first passkey: most gates never see one. */
const library = () => import('@simplewebauthn/server')

/**
 * Passkeys (WebAuthn). A challenge has a MAC over what it is for, so nothing is stored until it is answered, at any node.
 * INVARIANT: the person is verified by the authenticator (a PIN, a fingerprint), not only present.
 */
export function openPasskeys(derived: DerivedKeys): Passkeys {
  const keys = () => derived('sluice.passkey-challenge.v1')
  const macOf = (key: Buffer, claims: ChallengeClaims, head: Buffer) =>
    createHmac('sha256', key).update(JSON.stringify(claims)).update(head).digest()

  return {
    challenge(claims, now) {
      const head = Buffer.concat([randomBytes(NONCE), Buffer.alloc(TIME)])
      head.writeDoubleBE(now + PASSKEY_LIMITS.challenge_ms, NONCE)
      return Buffer.concat([head, macOf(keys()[0], claims, head)]).toString('base64url')
    },
    spendable(challenge, claims, now) {
      const bytes = Buffer.from(challenge, 'base64url')
      if (bytes.length !== NONCE + TIME + MAC) return undefined
      const head = bytes.subarray(0, NONCE + TIME)
      const mac = bytes.subarray(NONCE + TIME)
      const isOurs = keys().some((key) => timingSafeEqual(mac, macOf(key, claims, head)))
      return isOurs && head.readDoubleBE(NONCE) > now ? head.subarray(0, NONCE).toString('hex') : undefined
    },
    async creationOptions({ user, site, challenge, known }) {
      const { generateRegistrationOptions } = await library()
      return {
        ...(await generateRegistrationOptions({
          rpName: 'Sluice',
          rpID: site.host,
          userName: user,
          challenge: Buffer.from(challenge, 'base64url'),
          attestationType: 'none',
          excludeCredentials: known.map(descriptorOf),
          authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
        })),
      }
    },
    async requestOptions({ site, challenge, known }) {
      const { generateAuthenticationOptions } = await library()
      return {
        ...(await generateAuthenticationOptions({
          rpID: site.host,
          challenge: Buffer.from(challenge, 'base64url'),
          allowCredentials: known.map(descriptorOf),
          userVerification: 'required',
        })),
      }
    },
    async registered(answer, site) {
      const { verifyRegistrationResponse } = await library()
      let challenge = ''
      const seen = (given: string) => (challenge = given) !== ''
      try {
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          response: answer as Parameters<typeof verifyRegistrationResponse>[0]['response'],
          expectedChallenge: seen,
          expectedOrigin: site.origin,
          expectedRPID: site.host,
          requireUserVerification: true,
        })
        if (!verified) return undefined
        const { id, publicKey, counter } = registrationInfo.credential
        return { passkey_id: id, public_key: Buffer.from(publicKey).toString('base64url'), counter, challenge }
      } catch {
        return undefined
      }
    },
    async asserted(answer, site, passkey) {
      const { verifyAuthenticationResponse } = await library()
      let challenge = ''
      const seen = (given: string) => (challenge = given) !== ''
      try {
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response: answer as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
          expectedChallenge: seen,
          expectedOrigin: site.origin,
          expectedRPID: site.host,
          requireUserVerification: true,
          credential: {
            id: passkey.passkey_id,
            publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
            counter: passkey.counter,
          },
        })
        return verified ? { counter: authenticationInfo.newCounter, challenge } : undefined
      } catch {
        return undefined
      }
    },
  }
}

const descriptorOf = ({ passkey_id }: PasskeyRow) => ({ id: passkey_id })
