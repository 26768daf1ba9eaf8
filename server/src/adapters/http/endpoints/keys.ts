import {
  KeyAnswer,
  KeyGrantsAnswer,
  listOf,
  NewKeyAnswer,
  RevokedKeyAnswer,
  RotatedAnswer,
} from '../../../kernel/contract/answers.ts'
import { KeyBody, RotateBody } from '../../../kernel/contract/api.ts'
import {
  createCredential,
  listCredentials,
  readKeyGrants,
  revokeCredential,
  type KeyRing,
} from '../../../kernel/identity/credentials.ts'
import { rotateKeys, type RotatePorts } from '../../../kernel/identity/rotate-keys.ts'
import { ADMINS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { PAGED } from '../parameters.ts'
import { MOST_ITEMS, pageOfList } from '../query.ts'

export type KeyPorts = KeyRing & RotatePorts

/** Keys of callers, and the signing keys of the gate. */
export const keyEndpoints = (k: KeyPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/keys',
    access: ADMINS,
    says: 'Keys, without their secrets',
    query: PAGED,
    answers: listOf(KeyAnswer),
    run: (caller) => listCredentials(k, caller),
    shows: (keys, { query }) => pageOfList(query, keys, MOST_ITEMS),
  }),
  endpoint({
    at: 'POST /v1/keys',
    access: ADMINS,
    says: 'Create a key; it is shown once',
    status: 201,
    grants: true,
    body: KeyBody,
    answers: NewKeyAnswer,
    run: (caller, { body, proof }) => createCredential(k, caller, body, proof),
    shows({ key, row: { key_hash: _, ...row } }) {
      return { key, ...row }
    },
  }),
  endpoint({
    at: 'DELETE /v1/keys/{key_id}',
    access: ADMINS,
    says: 'Revoke a key, and with it what it granted',
    query: ['keep_grants'],
    answers: RevokedKeyAnswer,
    run: (caller, { params, query }) => revokeCredential(k, caller, params.key_id, query.keep_grants === '1'),
    shows: ({ key_id, revoked_at, grants }) => ({ key_id, revoked_at, grants }),
  }),
  endpoint({
    at: 'GET /v1/keys/{key_id}/grants',
    access: ADMINS,
    says: 'What goes back to a key, and what of it ends when the key is revoked',
    answers: KeyGrantsAnswer,
    run: (caller, { params }) => readKeyGrants(k, caller, params.key_id),
    shows: (grants) => ({ grants }),
  }),
  endpoint({
    at: 'POST /v1/keys/rotate',
    access: ADMINS,
    says: 'Replace a signing key',
    body: RotateBody,
    answers: RotatedAnswer,
    run: (caller, { body }) => rotateKeys(k, caller, body.which),
    shows: (_, { body }) => ({ rotated: body.which }),
  }),
]
