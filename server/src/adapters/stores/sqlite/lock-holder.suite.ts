import { lockFolder } from './lock-folder.ts'

/** Locks a folder, prints the result, and stays until it is ended. */
const lock = lockFolder(process.argv[2] ?? '')
process.stdout.write(`${lock.ok ? 'locked' : lock.problem.code}\n`)
setInterval(() => undefined, 1000)
