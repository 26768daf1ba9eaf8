import type { SecretValue } from '../../kernel/attempt/call-secrets.ts'
import type { WebhookKey } from '../../kernel/ports/keys.ts'
import type { Guest } from '../../kernel/registries.ts'
import type { Documents, TakeTurn } from './api.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    readonly documents: Documents
    /** Answers people who write to the agent of a document. */
    readonly takeTurn?: TakeTurn
    readonly secretValue: SecretValue
    /** A variable of the environment that documents may name. */
    readonly environment: (name: string) => string | undefined
    readonly zoneOffset: (zone: string, at: number) => number | undefined
    readonly isSameText: (one: string, other: string) => boolean
    readonly hmacHex: (secret: string, text: string) => string
    /** Who may send messages to the gate, by the name of the transport. */
    readonly incoming: ReadonlyMap<string, WebhookKey>
  }
}

export const workflows: Guest = {
  name: 'workflows',
  problems: async () => (await import('./problems.ts')).WORKFLOW_PROBLEMS,
  needs: ['models'],
  uses: ['matrix'],
  prepare: async () => (await import('./prepare-workflows.ts')).prepareWorkflows,
  tables: async () => (await import('./tables.ts')).WORKFLOW_TABLES,
  section: async () => (await import('./section.ts')).section,
  runKinds: {
    workflow: async () => (await import('./run-kinds.ts')).workflowKind,
    'workflow-schedules': async () => (await import('./run-kinds.ts')).schedulesKind,
  },
  generated: async () => (await import('./generated.ts')).generated,
  commands: [{ names: ['workflow'], rank: 160, load: async () => (await import('./commands.ts')).addWorkflowCommands }],
  judging: async () => (await import('./judging.ts')).judging,
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
