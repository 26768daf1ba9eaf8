import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { UNREACHED } from './client.ts'
import { EXIT } from './exit-codes.ts'
import { fieldsOf, printReply, textOf } from './print.ts'
import type { Session } from './session.ts'

const LOOK_MS = 50
/** The gate gives running requests ten seconds, then finishes its own work. */
const PATIENCE_MS = 60_000

/** Stops the gate of this folder, however it was started, and waits until the folder is free. */
export function addDownCommand(program: Command, session: Session): void {
  program
    .command('down')
    .description('stop the gate of this folder, after calls in progress have finished')
    .action(async () => {
      const out = session.out()
      if (session.isElsewhere())
        return session.fail('a remote gate cannot be stopped from here; stop it on its own machine')
      const reply = await session.ask('GET', '/healthz')
      const { pid, host } = fieldsOf(reply.body)
      if (reply.status <= UNREACHED) return session.exit(printReply(out, reply, () => {}))
      if (typeof pid !== 'number') {
        out.error('this gate is an older release that does not report its process id')
        out.error('  stop it where it was started: Ctrl-C, SIGTERM, or your service manager')
        return session.exit(EXIT.problem)
      }
      // The folder may be shared between machines or containers, where the same pid is another process.
      if (host !== hostname()) {
        out.error(`the gate is running on \`${textOf(host)}\`; stop it there`)
        return session.exit(EXIT.problem)
      }
      process.kill(pid, 'SIGTERM')
      const until = Date.now() + PATIENCE_MS
      while (isAlive(pid) && Date.now() < until) await sleep(LOOK_MS)
      const stopped = !isAlive(pid)
      if (out.json) out.line(JSON.stringify({ stopped, pid }))
      else if (stopped) out.line('the gate has stopped')
      else out.error(`the gate is still running as process ${pid}`)
      return session.exit(stopped ? EXIT.ok : EXIT.problem)
    })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
