import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

// Kills this process at its nth change of a file, without a chance to clean up; what it was writing is half written. A write is
// counted from the folder on that keeps the backups.
const CHANGES = 'mkdirSync openSync writeSync writeFileSync renameSync rmSync rmdirSync'.split(' ')
let left = Number(process.env['KILL_AT'])
let isCounting = process.env['INIT']?.includes('"undo":true')
for (const name of CHANGES) {
  const real = fs[name]
  fs[name] = (...words) => {
    if (name === 'openSync' && words[1] === 'r') return real(...words)
    isCounting ||= name === 'mkdirSync' && /[\\/]\.sluice[\\/]init[\\/]/.test(words[0])
    if (!isCounting) return real(...words)
    left -= 1
    if (left < 0) {
      if (name === 'writeSync') real(words[0], words[1].slice(0, words[1].length / 2))
      if (name === 'writeFileSync') real(words[0], words[1].slice(0, words[1].length / 2), words[2])
      process.kill(process.pid, 'SIGKILL')
    }
    return real(...words)
  }
}
syncBuiltinESMExports()
const { init, initParts } = await import('../init/init.ts')
const { options, wish, around } = JSON.parse(process.env['INIT'] ?? '')
const done = init(await initParts(), options, wish, around)
process.exitCode = done.ok ? 0 : 1
