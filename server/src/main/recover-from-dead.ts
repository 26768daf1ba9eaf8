import { recoverCalls, recoverReadBacks } from '../kernel/attempt/recover-calls.ts'
import type { Scheduler } from '../kernel/runs/schedule-runs.ts'
import type { Log } from '../kernel/ports/log.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'

const AGAIN_MS = 1_000

/**
 * Takes over what dead boots left behind: at the start, which waits for it, and whenever another node dies. Work of live boots is
 * left alone.
 */
export async function recoverFromDead(
  ports: Ports,
  scheduler: Pick<Scheduler, 'recover'>,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  let readBacks: Promise<unknown> = Promise.resolve()
  async function recover(): Promise<void> {
    let isWhole = true
    const recovered = await recoverCalls({ ...ports, onUnrecorded: () => (isWhole = false) })
    if (recovered.unknown + recovered.retried + recovered.failed > 0)
      log('warn', 'calls were interrupted when their gate stopped', {
        ...recovered,
        ...(recovered.unknown === 0
          ? {}
          : { do: 'settle those with an unknown outcome; `sluice calls --state unknown` lists them' }),
      })
    await scheduler.recover()
    if (!isWhole) tryAgain()
    // In the background, because it waits for tool servers.
    readBacks = readBacks.then(() =>
      recoverReadBacks(ports).catch((error: unknown) =>
        log('error', 'read-backs could not be completed', { error: String(error) }),
      ),
    )
  }
  let later: Promise<void> = Promise.resolve()
  let forgetAgain = () => {}
  const takeOver = () => {
    later = later.then(recover).catch((error: unknown) => {
      log('error', 'the calls and runs of a stopped node could not be taken over; trying again', {
        error: String(error),
      })
      tryAgain()
    })
  }
  /** Until it succeeds: there may be nobody else to take over what a dead node left. */
  function tryAgain(): void {
    forgetAgain()
    forgetAgain = ports.after(AGAIN_MS, takeOver)
  }
  await recover()
  const forget = ports.liveness.onDeath((boot) => {
    log('warn', 'another node stopped unexpectedly: its calls and runs are taken over', { boot })
    takeOver()
  })
  return {
    async stop() {
      forget()
      forgetAgain()
      await later
      forgetAgain()
      await readBacks
    },
  }
}
