import { endVolatile } from '../commands/agent/end-volatile.ts'
import { recoverCalls } from '../commands/calls/recover-calls.ts'
import { recoverReadBacks } from '../commands/calls/recover-read-backs.ts'
import type { Scheduler } from '../commands/runs/schedule-runs.ts'
import type { Log } from './log.ts'
import type { World } from './world.ts'

/**
 * Takes over what dead boots left behind: at start, which is waited for, and whenever another node dies. What a boot that is alive
 * has under way is left to it.
 */
export async function recoverFromDead(
  world: World,
  scheduler: Pick<Scheduler, 'recover'>,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  let readBacks: Promise<unknown> = Promise.resolve()
  async function recover(): Promise<void> {
    const recovered = await recoverCalls(world)
    if (recovered.unknown + recovered.retried + recovered.failed > 0)
      log('warn', 'calls were interrupted when their gate stopped', recovered)
    const ended = await endVolatile(world)
    if (ended.threads + ended.calls > 0) log('warn', 'unstored threads ended when their gate stopped', ended)
    await scheduler.recover()
    // Waits for tool servers, so nobody waits for it.
    readBacks = readBacks.then(() =>
      recoverReadBacks(world).catch((error: unknown) =>
        log('error', 'read-backs could not be completed', { error: String(error) }),
      ),
    )
  }
  await recover()
  let later: Promise<void> = Promise.resolve()
  const forget = world.liveness.onDeath((boot) => {
    log('warn', 'another node stopped unexpectedly: its calls and runs are taken over', { boot })
    later = later
      .then(recover)
      .catch((error: unknown) =>
        log('error', 'the calls and runs of a stopped node could not be taken over', { error: String(error) }),
      )
  })
  return {
    async stop() {
      forget()
      await later
      await readBacks
    },
  }
}
