import type { Passkeys } from '../../kernel/ports/keys.ts'
import type { DerivedKeys } from './key-folder.ts'
import { PASSKEY_LIMITS, type PasskeyRow } from '../../kernel/identity/passkey.ts'
import { signedNonces } from './signed-nonces.ts'

/** The library is loaded with the first passkey: most gates never see one. */
const library = () => import('@simplewebauthn/server')

/**
 * Passkeys (WebAuthn). A challenge has a MAC over what it is for, so nothing is stored until it is answered, at any node.
 * INVARIANT: the person is verified by the authenticator (a PIN, a fingerprint), not only present.
 */
export function openPasskeys(derived: DerivedKeys): Passkeys {
  const challenges = signedNonces(derived, 'sluice.passkey-challenge.v1', PASSKEY_LIMITS.challenge_ms)

  return {
    challenge: (claims, now) => challenges.make(claims, now),
    spendable: (challenge, claims, now) => challenges.read(challenge, claims, now)?.nonce,
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
