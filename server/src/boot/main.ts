import { enableCompileCache } from 'node:module'

// Before anything else is loaded: compiled modules are kept from one start to the next.
enableCompileCache()
const { runCli } = await import('../doors/cli/program.ts')
const { localGate, up } = await import('./up.ts')

process.exitCode = await runCli(process.argv, { up, local: localGate })
