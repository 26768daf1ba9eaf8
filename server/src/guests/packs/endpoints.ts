import { listOf } from '../../kernel/contract/answers.ts'
import { ok } from '../../kernel/contract/problems.ts'
import { OVERSEERS, PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { PackAnswer } from './pack.ts'
import { showPacks, type PacksDeps } from './show-packs.ts'

export type PackPorts = PacksDeps & { firstListing(): Promise<void> }

export const endpoints = (k: PackPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/packs',
    access: PEOPLE,
    says: 'What is known about well-known tool servers, and which tools of this gate it applies to',
    answers: listOf(PackAnswer),
    async run(caller) {
      await k.firstListing()
      const packs = showPacks(k)
      // The list of servers is only for approvers, reviewers and admins.
      return ok({ items: OVERSEERS.includes(caller.kind) ? packs : packs.map((pack) => ({ ...pack, servers: [] })) })
    },
  }),
]
