import { UserAnswer } from '../../../kernel/contract/answers.ts'
import { PassphraseBody } from '../../../kernel/contract/api.ts'
import { setPassphrase, type PassphrasePorts } from '../../../kernel/identity/passphrase.ts'
import { clearPassphrase } from '../../../kernel/identity/remove-proof.ts'
import { ADMINS, DECIDERS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'

export type PassphraseEndpointPorts = PassphrasePorts & Parameters<typeof clearPassphrase>[0]

/** The passphrase of an approver. */
export const passphraseEndpoints = (k: PassphraseEndpointPorts): readonly Endpoint[] => [
  endpoint({
    at: 'POST /v1/passphrase',
    access: DECIDERS,
    says: 'Set your passphrase for strong approvals (with `current`, if you already have one)',
    body: PassphraseBody,
    answers: UserAnswer,
    async run(caller, { body: { passphrase, current } }) {
      const set = await setPassphrase(k, caller, { passphrase, ...(current === undefined ? {} : { current }) })
      return set.ok ? { ok: true, value: { user: caller.user } } : set
    },
  }),
  endpoint({
    at: 'DELETE /v1/passphrases/{user}',
    access: ADMINS,
    says: 'Remove the passphrase of someone who has lost it; the body contains only your proof, if you have one',
    grants: true,
    answers: UserAnswer,
    run: (caller, { params, proof }) => clearPassphrase(k, caller, params.user, proof),
    shows: (_, { params }) => ({ user: params.user }),
  }),
]
