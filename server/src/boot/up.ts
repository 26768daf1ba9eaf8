import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { scrubText } from '../commands/calls/scrub-text.ts'
import { LOCAL_OWNER } from '../contract/caller.ts'
import { PROBLEMS, type Problem } from '../contract/problems.ts'
import type { UpOptions } from '../doors/cli/cli-boot.ts'
import { doorman } from '../doors/entrance/caller-of.ts'
import { loginRateLimit } from '../doors/entrance/login-rate-limit.ts'
import { httpApp } from '../doors/http/app.ts'
import { LAST_ANSWERS_MS } from '../doors/entrance/last-answers.ts'
import { listen } from '../doors/entrance/listen.ts'
import { apiListener } from '../doors/http/api-listener.ts'
import { mcpListener } from '../doors/mcp/serve-http.ts'
import { locatedFaults } from './config-faults.ts'
import { placesIn } from './data-folder.ts'
import { dataInReach, reachSays, REACH_REMEDY } from './data-in-reach.ts'
import { giveBackMemory } from './give-back-memory.ts'
import { greetDemo } from './greet-demo.ts'
import { DEMO, settingsOf } from './local-gate.ts'
import { prepareCredentials } from './prepare-credentials.ts'
import { policyFiles } from './policy-files.ts'
import type { Log } from './log.ts'
import { openGate } from './open-gate.ts'
import type { GateOptions } from './gate-options.ts'
import { randomIds } from './random-ids.ts'
import { writeDemo } from './write-demo.ts'

/** Runs a gate until SIGINT or SIGTERM. Resolves with the exit code. */
export async function up(options: UpOptions, more: Pick<GateOptions, 'probe'> = {}): Promise<number> {
  if (options.demo === true) writeDemo(DEMO)
  const loaded = settingsOf(options)
  if (!loaded.ok) return complain(loaded.problem)
  const settings = loaded.value
  const log = logTo(process.stderr.isTTY ? undefined : 2)
  let url = ''
  const opened = await openGate(settings, { ...more, log, url: () => url, policy: policyFiles(settings.file) })
  if (!opened.ok) return complain(opened.problem, settings.file)
  const { gate } = opened.value
  for (const reach of dataInReach(settings)) log('warn', reachSays(reach), { do: REACH_REMEDY })
  const prepared = await prepareCredentials(gate.identity, settings.config, settings.data)
  if (!prepared.ok) {
    await opened.value.close()
    return complain(prepared.problem)
  }
  const stopping = new AbortController()
  const shared = {
    gate,
    stopping: stopping.signal,
    doorman: doorman(gate, loginRateLimit(settings.config.auth.failures, Date.now)),
    newTrace: () => randomIds.trace(),
    hosts: [settings.config.listen.host, ...settings.config.listen.hosts],
    onIncident(error: unknown, trace: string) {
      const incident = randomBytes(6).toString('hex')
      log('error', 'internal error', { incident, trace, error: error instanceof Error ? error.stack : String(error) })
      return incident
    },
  }
  const { telemetry } = opened.value
  const app = httpApp({
    ...shared,
    version: gate.version,
    metrics: { scrape: () => telemetry.scrape(), ...settings.config.metrics },
  })
  const authorization_servers = settings.config.auth.oidc.map(({ issuer }) => issuer)
  const mcp = mcpListener({ ...shared, ...settings.config.mcp, authorization_servers, clock: Date.now })
  const { host, limits } = settings.config.listen
  const port = options.port ?? settings.config.listen.port
  const listening = await listen([mcp, apiListener(app)], {
    host,
    port,
    socket: placesIn(settings.data).socket,
    limits,
  })
  if (!listening.ok) {
    await opened.value.close()
    return complain(listening.problem)
  }
  ;({ url } = listening.value)
  await opened.value.settled
  const tools = gate.catalogue.tools(LOCAL_OWNER).length
  process.stdout.write(`sluice is up at ${url}, ${tools} tools, data in ${settings.data}\n`)
  const { admin_key } = prepared.value
  if (admin_key !== undefined) process.stdout.write(`your admin key is in ${admin_key}\n`)
  if (options.demo === true) process.stdout.write(await greetDemo(gate, url, LOCAL_OWNER))
  const stopGivingBack = giveBackMemory()
  const signal = await untilStopped(() => void opened.value.live.reload('signal'))
  stopGivingBack()
  log('info', `stopping on ${signal}`)
  // In this order: whoever asks is told to go elsewhere, then streams end, then what is under way gets its answer.
  opened.value.stopTaking()
  stopping.abort()
  await Promise.all([listening.value.close(), opened.value.lastCalls(LAST_ANSWERS_MS)])
  await opened.value.close()
  return 0
}

/** With the place of every path, where the configuration is what is wrong. */
function complain({ code, about }: Problem, file?: string): number {
  const { says, do: remedy } = PROBLEMS[code]
  const { paths } = about
  const placed = paths === undefined || file === undefined ? {} : { paths: locatedFaults(paths, file).join('\n    ') }
  const details = Object.entries({ ...about, ...placed }).map(([name, value]) => `\n  ${name}: ${value}`)
  process.stderr.write(`${says} [${code}]${details.join('')}\n  ${remedy}\n`)
  return 1
}

function logTo(fd: number | undefined): Log {
  const logger = pino({ level: 'info', base: null }, pino.destination({ dest: fd ?? 2, sync: false }))
  // What a tool server wrote to stderr, or an error's text, may hold anything.
  return (level, says, about) => logger[level](scrubbed(about), scrubText(says))
}

function scrubbed(about: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const entries = Object.entries(about).map(([key, value]) => [
    key,
    typeof value === 'string' ? scrubText(value) : value,
  ])
  return Object.fromEntries(entries) as Record<string, unknown>
}

function untilStopped(onHangUp: () => void): Promise<string> {
  return new Promise((resolve) => {
    // Also for the second one: Ctrl-C reaches the gate from the terminal and again from the launcher in front of it.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
    // A service is told to read again; in a terminal the same signal means that the terminal is gone.
    process.on('SIGHUP', () => (process.stdout.isTTY ? resolve('SIGHUP') : onHangUp()))
  })
}
