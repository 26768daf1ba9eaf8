import { runCli } from '../adapters/cli/program.ts'
import { runKindNames } from '../kernel/registries.ts'
import { bench } from './bench.ts'
import { GUESTS } from './guests.ts'
import { LAUNCHER, localGate } from './local-gate.ts'
import { placesIn } from './data-folder.ts'
import { packageVersion } from './package-version.ts'
import { serviceHere } from './service-unit.ts'

process.exitCode = await runCli(process.argv, {
  version: packageVersion(),
  runKinds: runKindNames(GUESTS),
  local: localGate,
  launcher: LAUNCHER,
  bench,
  service: (options) => {
    const { config, data } = localGate(options)
    const unit = serviceHere(LAUNCHER, config, placesIn(data).log)
    return unit === undefined ? undefined : { ...unit, config }
  },
  // The gate itself is loaded only by the command that runs one.
  verify: async (options, against) => (await import('./verify-offline.ts')).verifyOffline(options, against),
  offline: (options) => ({
    test: async (asked) => (await import('./offline-policy.ts')).offlinePolicy(options).test(asked),
    lint: async (asked) => (await import('./offline-policy.ts')).offlinePolicy(options).lint(asked),
  }),
  createKey: async (options, wanted, isNewFolder) =>
    (await import('./create-key.ts')).createKey(options, wanted, isNewFolder),
  correctClock: async (options, agrees) => (await import('./correct-clock.ts')).correctClock(options, agrees),
  reset: async (options) => (await import('./reset.ts')).reset(options),
  init: async (options, initOptions) => (await import('./init/init.ts')).initHere(options, initOptions),
  doctor: async (options) => (await import('./doctor/doctor.ts')).doctor(options),
  backUp: async (options, file) => (await import('./backup.ts')).backUpData(options, file),
  restore: async (options, file) => (await import('./restore.ts')).restoreData(options, file),
  revokeRestored: async (options, keys) => (await import('./restore.ts')).revokeRestored(options, keys),
  move: async (options, address, schema) => (await import('./move-data.ts')).moveData(options, address, schema),
  up: async (options) => (await import('./up.ts')).up(options),
})
