import type { BodyOf } from '../../../server/src/client/client.ts'
import type { PasskeyOptions, PasskeyRegistration } from '../../../server/src/kernel/identity/passkey.ts'

export type AssertionBody = NonNullable<
  Extract<BodyOf<'POST /v1/approvals/{approval_id}/decide'>, { readonly decision: 'approve' }>['passkey']
>

const isAddress = (host: string) => /^[\d.]+$|^\[/.test(host)

/** Why this browser offers no passkeys here, or undefined. */
export function noPasskeys(): string | undefined {
  if (isAddress(location.hostname))
    return 'Browsers offer passkeys only for host names, not for IP addresses. Open the console at localhost, or at its name over https.'
  return 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential
    ? undefined
    : 'This browser offers no passkeys here.'
}

/** Asks the browser, and reports a failure in our own words. */
async function answerOf(credential: Promise<Credential | null>): Promise<unknown> {
  try {
    const made = await credential
    if (made instanceof PublicKeyCredential) return made.toJSON()
  } catch {
    // Cancelled, timed out or not allowed: browsers do not say which.
  }
  throw new Error('the browser did not give a passkey')
}

export const makePasskey = (options: PasskeyOptions): Promise<PasskeyRegistration> =>
  answerOf(
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options as never),
    }),
  ) as Promise<PasskeyRegistration>

export const givePasskey = (options: PasskeyOptions): Promise<AssertionBody> =>
  answerOf(
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  ) as Promise<AssertionBody>
