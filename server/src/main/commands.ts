import { ASKING_COMMANDS, type Commands } from '../adapters/cli/commands.ts'
import { runKindNames, type Guest } from '../kernel/registries.ts'

/** The commands that run a gate or work on its files, and those that can do without a running gate. */
const OWN_COMMANDS: readonly Commands[] = [
  { names: ['up'], rank: 10, load: async () => (await import('./up-command.ts')).addUpCommand },
  { names: ['mcp'], rank: 40, load: async () => (await import('./mcp-command.ts')).addMcpCommand },
  { names: ['bench'], rank: 60, load: async () => (await import('./bench.ts')).addBenchCommand },
  {
    names: ['policy'],
    rank: 200,
    load: async () => {
      const { addPolicyCommands } = await import('../adapters/cli/policy-commands.ts')
      return (program, cli) =>
        addPolicyCommands(program, cli, {
          test: async (...asked) => (await import('./offline-policy.ts')).testPolicyOffline(...asked),
          lint: async (...asked) => (await import('./offline-policy.ts')).lintPolicyOffline(...asked),
        })
    },
  },
  {
    names: ['audit'],
    rank: 210,
    load: async () => {
      const { addAuditCommands } = await import('../adapters/cli/audit-commands.ts')
      return (program, cli) =>
        addAuditCommands(program, cli, async (...asked) =>
          (await import('./verify-offline.ts')).verifyOffline(...asked),
        )
    },
  },
  {
    names: ['clock'],
    rank: 240,
    load: async () => {
      const { addClockCommands } = await import('../adapters/cli/gate-commands.ts')
      return (program, cli) =>
        addClockCommands(program, cli, async (...asked) => (await import('./correct-clock.ts')).correctClock(...asked))
    },
  },
  {
    names: ['keys'],
    rank: 250,
    load: async () => {
      const { addKeyCommands } = await import('../adapters/cli/key-commands.ts')
      return (program, cli) =>
        addKeyCommands(program, cli, {
          create: async (...asked) => (await import('./create-key.ts')).createKey(...asked),
          reset: async (options) => (await import('./reset.ts')).reset(options),
        })
    },
  },
  { names: ['init'], rank: 280, load: async () => (await import('./init/commands.ts')).addInitCommands },
  { names: ['doctor'], rank: 290, load: async () => (await import('./doctor/commands.ts')).addDoctorCommand },
  { names: ['backup', 'restore'], rank: 295, load: async () => (await import('./data-commands.ts')).addBackupCommands },
  { names: ['store'], rank: 300, load: async () => (await import('./data-commands.ts')).addStoreCommands },
  { names: ['service'], rank: 310, load: async () => (await import('./service-commands.ts')).addServiceCommands },
]

/** Every command of a build with these guests. */
export function commandsOf(guests: readonly Guest[]): readonly Commands[] {
  const inbox = guests.find((guest) => guest.inbox !== undefined)?.inbox
  const runs: Commands = {
    names: ['runs'],
    rank: 150,
    load: async () => {
      const { addRunCommands } = await import('../adapters/cli/run-commands.ts')
      return (program, cli) => addRunCommands(program, cli, runKindNames(guests))
    },
  }
  const approvals: Commands = {
    names: ['approvals', 'approve', 'deny', 'edit', 'token', 'redeem'],
    rank: 170,
    load: async () => {
      const { addApprovalCommands } = await import('../adapters/cli/approval-commands.ts')
      return (program, cli) => addApprovalCommands(program, cli, inbox)
    },
  }
  return [...ASKING_COMMANDS, runs, approvals, ...OWN_COMMANDS, ...guests.flatMap(({ commands = [] }) => commands)]
}
