import { z } from 'zod'
import { PacketDigest } from '../../../kernel/contract/approval.ts'
import type { JsonObject } from '../../../kernel/contract/json.ts'
import { ok } from '../../../kernel/contract/problems.ts'
import { GrantToConfirm, PasskeyAnswer, PasskeyBody, PasskeyOptions } from '../../../kernel/identity/passkey.ts'
import {
  addPasskey,
  listPasskeys,
  passkeyCreation,
  passkeyRequest,
  type PasskeyPorts,
} from '../../../kernel/identity/passkeys.ts'
import { removePasskey } from '../../../kernel/identity/remove-proof.ts'
import { ADMINS, DECIDERS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { digestOfGrant } from '../proof.ts'

/** Passkeys of approvers: the browser asks for a fingerprint or PIN, and the gate verifies the signature. */
export const passkeyEndpoints = (k: PasskeyPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/passkeys',
    access: DECIDERS,
    says: 'Your passkeys',
    answers: z.object({ items: z.array(PasskeyAnswer) }),
    run: async (caller) => ok({ items: await listPasskeys(k, caller) }),
  }),
  endpoint({
    at: 'POST /v1/passkeys/options',
    access: DECIDERS,
    says: 'The options for `navigator.credentials.create`, to create a passkey',
    answers: PasskeyOptions,
    run: (caller, { site }) => passkeyCreation(k, caller, site),
  }),
  endpoint({
    at: 'POST /v1/passkeys/proof',
    access: DECIDERS,
    says: 'The options for `navigator.credentials.get`, to confirm who adds another passkey',
    answers: PasskeyOptions,
    run: (caller, { site }) => passkeyRequest(k, caller, site),
  }),
  endpoint({
    at: 'POST /v1/passkeys/grant',
    access: DECIDERS,
    says: 'The options for `navigator.credentials.get`, to confirm exactly this request, which gives permission',
    body: GrantToConfirm,
    answers: PasskeyOptions,
    run(caller, { body: { method, path, body }, site }) {
      const about = { grant: digestOfGrant({ method, path, body: body as JsonObject }) }
      return passkeyRequest(k, caller, site, about)
    },
  }),
  endpoint({
    at: 'POST /v1/passkeys',
    access: DECIDERS,
    says: 'Add a passkey; if you already have a passphrase or a passkey, you confirm with it',
    body: PasskeyBody,
    answers: PasskeyAnswer,
    run: (caller, { body, site }) => addPasskey(k, caller, body, site),
  }),
  endpoint({
    at: 'DELETE /v1/passkeys/{passkey_id}',
    access: ADMINS,
    says: 'Remove the passkey of someone who has lost it; the body contains only your proof, if you have one',
    grants: true,
    answers: PasskeyAnswer,
    run: (caller, { params, proof }) => removePasskey(k, caller, params.passkey_id, proof),
  }),
  endpoint({
    at: 'POST /v1/approvals/{approval_id}/passkey',
    access: DECIDERS,
    says: 'The options for `navigator.credentials.get`, to approve exactly this request as it was shown',
    body: z.strictObject({ digest: PacketDigest }),
    answers: PasskeyOptions,
    run: (caller, { params, body, site }) =>
      passkeyRequest(k, caller, site, { approval_id: params.approval_id, digest: body.digest }),
  }),
]
