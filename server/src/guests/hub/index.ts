import type { AttachedHub, HubKeys, NodeRoom } from './ports.ts'
import type { Guest } from '../../kernel/registries.ts'
import type { HubEffectPorts } from './hub-effects.ts'
import type { NodesSeen } from './nodes-seen.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    /** For a node: where its approvals are decided. */
    readonly attachedHub: AttachedHub | undefined
    readonly hubFault: HubEffectPorts['hubFault']
    readonly wakeHub: () => void
    readonly nonce: () => string
    /** The keys with which this gate signs for its own nodes. */
    readonly hubKeys: HubKeys
    readonly nodesSeen: NodesSeen
    /** Through which nodes reach this hub, besides HTTP. */
    readonly nodeRoom: NodeRoom | undefined
  }
}

export const hub: Guest = {
  name: 'hub',
  problems: async () => (await import('./problems.ts')).HUB_PROBLEMS,
  uses: ['matrix'],
  sharedKeyFile: {
    name: 'hub-keys.json',
    make: async (folder) => (await import('./hub-keys.ts')).openHubKeys(folder).list(),
  },
  checks: async () => (await import('./checks.ts')).checks,
  prepare: async () => (await import('./open-hub.ts')).prepareHub,
  section: async () => (await import('./hub-settings.ts')).section,
  companion: async () => (await import('./report-to-hub.ts')).hubReports,
  runKinds: {
    'hub-report': async () => (await import('./run-kind.ts')).hubReportKind,
  },
  commands: [
    { names: ['node'], rank: 20, load: async () => (await import('./commands.ts')).addNodeCommand },
    { names: ['hub'], rank: 130, load: async () => (await import('./commands.ts')).addHubCommands },
  ],
  ownStart: {
    key: 'hub',
    says: [
      'this gate was last started by `sluice node`, and `sluice.yaml` names no hub',
      'start it again with the same command, or write its hub into `sluice.yaml` (server/src/guests/hub/README.md)',
    ],
  },
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
