import type { Command } from 'commander'
import { PORT, TRUST, type StartOptions } from '../../adapters/cli/option-values.ts'
import { itemsOf, printReply, table, textOf, timeOf, type PrintedFields } from '../../adapters/cli/print.ts'
import type { Cli } from '../../adapters/cli/cli.ts'

type NodeOptions = {
  hub?: string
  name?: string
  nodeKey?: string
  publicKey?: string[]
} & StartOptions

const HUB_OPTIONS = { url: '--hub', node: '--name', key: '--node-key', public_keys: '--public-key' }

/** `sluice node`: a gate whose approvals are decided at a hub. */
export function addNodeCommand(program: Command, { host, globals, exit }: Cli): void {
  program
    .command('node')
    .description('run the gate as a node: its approvals are decided at a hub (server/src/guests/hub/README.md)')
    .option('--hub <url>', 'the address of the hub (default: `hub.url` of the configuration)')
    .option('--name <node>', 'the name of this node at the hub')
    .option('--node-key <reference>', 'the key of this node at the hub, as env:NAME or file:PATH')
    .option('--public-key <keys...>', 'the public keys that `sluice hub key` prints at the hub')
    .option(...PORT)
    .option(...TRUST)
    .action(async ({ hub: url, name: node, nodeKey: key, publicKey: public_keys, port, trust }: NodeOptions) => {
      const values = {
        ...(url === undefined ? {} : { url }),
        ...(node === undefined ? {} : { node }),
        ...(key === undefined ? {} : { key }),
        ...(public_keys === undefined ? {} : { public_keys }),
      }
      const how = { ...(port === undefined ? {} : { port }), ...(trust === undefined ? {} : { trust }) }
      exit(await host.up({ ...globals(), ...how, section: { key: 'hub', values, options: HUB_OPTIONS } }))
    })
}

/** Commands for the operators of a hub. */
export function addHubCommands(program: Command, cli: Cli): void {
  const hub = program
    .command('hub')
    .description('the keys and nodes of a hub, a gate that decides the approvals of other gates (nodes)')
  const printKeys = (body: PrintedFields) =>
    table(cli.out(), [
      ['KEY', 'STATE', 'PUBLIC KEY'],
      ...fieldsIn(body['keys']).map((one) => [textOf(one['key']), textOf(one['state']), textOf(one['public_key'])]),
    ])
  hub
    .command('key')
    .description('print the public keys that every node needs in `hub.public_keys`')
    .action(async () => {
      const reply = await cli.send('GET', '/v1/hub/key')
      cli.exit(printReply(cli.out(), reply, printKeys))
    })
  hub
    .command('rotate')
    .description(
      'replace the key that signs decisions: run it with --prepare, pin the new key at every node, then run it without',
    )
    .option('--prepare', 'create the next key without using it yet')
    .action(async ({ prepare }: { prepare?: boolean }) => {
      const step = prepare === true ? 'prepare' : 'activate'
      const reply = await cli.send('POST', '/v1/hub/key', { step })
      cli.exit(printReply(cli.out(), reply, printKeys))
    })
  hub
    .command('nodes')
    .description('list the nodes and how many of their calls wait for a decision')
    .action(async () => {
      const reply = await cli.send('GET', '/v1/hub/nodes')
      cli.exit(
        printReply(cli.out(), reply, (body) =>
          table(
            cli.out(),
            [['NODE', 'STATE', 'LAST SEEN', 'PENDING'], ...itemsOf(body).map(nodeRow)],
            'no nodes; create a key for one with `sluice keys create node NAME`',
          ),
        ),
      )
    })
}

const fieldsIn = (value: unknown): readonly PrintedFields[] =>
  Array.isArray(value) ? (value as readonly PrintedFields[]) : []

const nodeRow = (node: PrintedFields): string[] => [
  node['user'] === node['node'] ? textOf(node['node']) : `${textOf(node['node'])} of ${textOf(node['user'])}`,
  textOf(node['state']),
  node['seen_at'] === undefined ? 'not since the hub started' : timeOf(node['seen_at']),
  textOf(node['pending']),
]
