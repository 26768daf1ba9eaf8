import { lockFolder } from './lock-folder.ts'

/** Takes the lock of a folder, says how that went, and stays until somebody ends it. */
const lock = lockFolder(process.argv[2] ?? '')
process.stdout.write(`${lock.ok ? 'locked' : lock.problem.code}\n`)
setInterval(() => undefined, 1000)
