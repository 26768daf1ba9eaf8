import { listOf } from '../../kernel/contract/answers.ts'
import { ok } from '../../kernel/contract/problems.ts'
import { OVERSEERS, PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { PackAnswer } from './pack.ts'
import type { Config } from '../../kernel/contract/config.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import { packFor, packSays, type KnownPack } from './match-pack.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'

export type PackPorts = PacksPorts & { firstListing(): Promise<void> }

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

type PacksPorts = {
  readonly packs: readonly KnownPack[]
  readonly catalogue: Pick<Catalogue, 'tools'>
  readonly serverSettings: () => Config['servers']
}

/** Every pack, and what it says about this gate's own servers. */
function showPacks({ packs, catalogue, serverSettings }: PacksPorts): readonly PackAnswer[] {
  const servers = Object.entries(serverSettings()).map(([server, settings]) => ({
    server,
    known: packFor(packs, settings),
    tools: catalogue.tools().filter(({ row }) => row.server === server && row.gone_at === undefined),
  }))
  return packs.map((known) => ({
    pack: known.pack.pack,
    title: known.pack.title,
    from: known.pack.from,
    source: known.source,
    packages: known.pack.packages,
    addresses: known.pack.addresses,
    clients: known.pack.clients,
    tools: Object.entries(known.pack.tools).map(
      ([name, { effects, recipients, amounts, paths, definitions, rollback }]) => ({
        name,
        effects,
        recipients,
        amounts,
        paths,
        definitions: definitions.length,
        ...(rollback === undefined ? {} : { rollback: rollback.tool ?? rollback.command ?? '' }),
      }),
    ),
    servers: servers
      .filter((one) => one.known === known)
      .map(({ server, tools }) => ({ server, ...compared(known, tools) })),
  }))
}

type Compared = Omit<PackAnswer['servers'][number], 'server'>

function compared(known: KnownPack, tools: readonly Tool[]): Compared {
  const said = tools.map(({ row }) => ({
    name: row.definition.name,
    says: packSays(known, row.definition.name, row.definition_hash),
  }))
  const names = new Set(said.map(({ name }) => name))
  const namesOf = (isIn: (says: ReturnType<typeof packSays>) => boolean) =>
    said.filter(({ says }) => isIn(says)).map(({ name }) => name)
  return {
    matched: namesOf((says) => says?.is_known === true),
    differing: namesOf((says) => says?.is_known === false),
    unknown: namesOf((says) => says === undefined),
    absent: Object.keys(known.pack.tools).filter((name) => !names.has(name)),
  }
}
