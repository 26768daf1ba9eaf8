import { globalAgent as http } from 'node:http'
import { globalAgent as https } from 'node:https'
import { Readable } from 'node:stream'
import { runSluice } from '../../src/main/run-sluice.ts'
import { type Ordered, OUTPUT_ENDS } from './host-command.ts'

/** Runs commands of the command line, one after the other, each as if it were a process of its own. */
process.on('message', ({ folder, words, env }: Ordered) => {
  void (async () => {
    process.chdir(folder)
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, env)
    Object.defineProperty(process, 'stdin', { value: Readable.from([]), configurable: true })
    const code = await runSluice(words)
    // What ends with a process: its connections, and what it listens to.
    for (const agent of [http, https]) agent.destroy()
    process.stdout.removeAllListeners('error')
    for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
    process.chdir('/')
    process.stdout.write(OUTPUT_ENDS)
    process.stderr.write(OUTPUT_ENDS)
    process.send?.(code)
  })()
})
process.once('disconnect', () => process.exit())
