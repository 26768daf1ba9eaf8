import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { LOCAL_OWNER } from '../kernel/contract/caller.ts'
import { count } from '../kernel/contract/framed-text.ts'
import { ok, refuse, type Problem } from '../kernel/contract/problems.ts'
import { commandFor, commandName } from '../adapters/cli/command-name.ts'
import type { DemoGreeting } from '../adapters/cli/demo.ts'
import type { UpOptions } from '../adapters/cli/local-gate.ts'
import { callerIdentifier } from '../adapters/http/caller-of.ts'
import { loginRateLimit } from '../adapters/http/login-rate-limit.ts'
import { REQUEST_DRAIN_MS } from '../adapters/http/track-requests.ts'
import { checkAddress } from './check-address.ts'
import { clientAddress } from '../adapters/http/client-address.ts'
import { doorOnDemand } from '../adapters/http/door-on-demand.ts'
import { listen } from '../adapters/http/listen.ts'
import { plainListener } from '../adapters/http/plain-listener.ts'
import type { Door } from '../adapters/http/door.ts'
import { callToolEndpoint } from '../adapters/http/endpoints/call-tool.ts'
import { noteRefusal, type NotedRefusal } from '../kernel/audit/note-refusal.ts'
import { claimKey } from '../kernel/identity/claim-key.ts'
import { createCredential, isStillAuthentic, type KeyRing } from '../kernel/identity/credentials.ts'
import { isCsrf, readLogin } from '../kernel/identity/logins.ts'
import { enterSession } from '../kernel/sessions/enter-session.ts'
import { mcpPorts } from '../adapters/mcp/mcp-ports.ts'
import { allProblems } from '../kernel/registries.ts'
import { GUESTS } from './guests.ts'
import { partsOf, onlyPartOf } from './guest-parts.ts'
import { mcpListener } from '../adapters/mcp/serve-http.ts'
import { markNode, placesIn } from './data-folder.ts'
import { serversReachingData, reachSays, REACH_REMEDY } from './servers-reaching-data.ts'
import { freeMemoryWhenIdle } from './free-memory-when-idle.ts'
import { LAUNCHER } from '../adapters/files/own-programs.ts'
import { DEMO, settingsOf } from './local-gate.ts'
import { prepareCredentials } from './prepare-credentials.ts'
import { isMissingOrEmpty, MISSING_OR_EMPTY, policyFiles } from './policy-files.ts'
import { agreeTo, keepTrusting } from './trust/check-trust.ts'
import { checkOwnedBy, markOwnedBy } from './trust/data-owner.ts'
import { policyStore } from './write-policy.ts'
import { textScrubber, type ScrubText } from './scrub-text.ts'
import type { GateOptions } from './gate-options.ts'
import { openGate } from './open-gate.ts'
import { problemText } from './problem-text.ts'
import { randomIds } from './random-ids.ts'
import { styleText } from 'node:util'
import { pino } from 'pino'
import type { Log } from '../kernel/ports/log.ts'
import { visibleText } from '../kernel/contract/visible-text.ts'

/** How long a node among others still answers `gate.stopping` before it stops listening. */
const DRAIN_MS = 2_000

const LEFT_BEHIND_MS = 1_000

/** Runs a gate until SIGINT or SIGTERM. Resolves with the exit code. */
export async function up(options: UpOptions, more: Pick<GateOptions, 'probe'> = {}): Promise<number> {
  const demo = options.demo === true ? await onlyPartOf((guest) => guest.demo) : undefined
  const isNewDemo = demo?.write(DEMO) === true
  const loaded = settingsOf(options)
  if (!loaded.ok) return complain(loaded.problem)
  const settings = loaded.value
  const agreed = await agreeTo(settings, isNewDemo || options.trust === true)
  if (!agreed.ok) return complain(agreed.problem, settings.file)
  const owned = checkOwnedBy(settings.data, settings.file)
  if (!owned.ok) return complain(owned.problem)
  const stillTrusted = keepTrusting(settings)
  const hasFile = existsSync(settings.file)
  const { host, limits } = settings.config.listen
  const port = options.port ?? settings.config.listen.port
  const log = openLog(process.stderr, await textScrubber())
  let url = ''
  let declareDead: (() => void) | undefined
  const dead = new Promise<'dead'>((resolve) => (declareDead = () => resolve('dead')))
  const opened = await openGate(settings, {
    ...more,
    log,
    checkFirst: () => checkAddress(host, port),
    url: () => url,
    onDead: () => declareDead?.(),
    policy: policyFiles(settings.file, settings.policy),
    policyStore: policyStore(settings.file),
    doctor: async () => (await import('./doctor/doctor.ts')).doctor({ config: settings.file, data: settings.data }),
    readServers: () => {
      // As for the policy: an editor may have emptied the file to write it again.
      if (hasFile && isMissingOrEmpty(settings.file))
        return refuse('config.invalid', { file: settings.file, paths: MISSING_OR_EMPTY })
      const again = settingsOf(options)
      return again.ok ? ok(again.value.config.servers) : again
    },
    onReloaded: () => {
      const again = settingsOf(options)
      if (again.ok) stillTrusted(again.value)
    },
  })
  if (!opened.ok) return complain(opened.problem, settings.file)
  const { ports, dispatch } = opened.value
  markNode(settings.data, options.section !== undefined)
  markOwnedBy(settings.data, settings.file)
  for (const reach of serversReachingData(settings)) log('warn', reachSays(reach), { do: REACH_REMEDY })
  const prepared = await prepareCredentials(ports, settings.config, settings.data)
  if (!prepared.ok) {
    await opened.value.close()
    return complain(prepared.problem)
  }
  const stopping = new AbortController()
  const publicUrl = settings.config.channels.url
  const noteHere = (refusal: NotedRefusal) => noteRefusal(ports, refusal)
  const shared = {
    stopping: stopping.signal,
    authenticate: callerIdentifier(
      {
        authenticate: opened.value.authenticate,
        isStillAuthentic: (caller) => isStillAuthentic(ports, caller),
        readLogin: (secret, passive) => readLogin(ports, secret, passive),
        isCsrf: (secret, given) => isCsrf(ports.digest, secret, given),
        noteRefusal: noteHere,
      },
      loginRateLimit(settings.config.auth.failures, { counts: opened.value.counts, clock: opened.value.clock }),
      publicUrl,
    ),
    addressOf: clientAddress(settings.config.listen.proxies),
    newTrace: () => randomIds.trace(),
    hosts: [settings.config.listen.host, ...settings.config.listen.hosts],
    onIncident(error: unknown, trace: string) {
      const incident = randomBytes(6).toString('hex')
      const { message, stack } = error instanceof Error ? error : { message: String(error) }
      log('error', 'internal error', { incident, trace, error: message, ...(stack === undefined ? {} : { stack }) })
      return incident
    },
  }
  const observed = { ...ports, dispatch }
  const door: Door = {
    authenticate: shared.authenticate,
    login: publicUrl === undefined ? {} : { publicUrl },
    streams: { stopping: stopping.signal },
    claimKey: (caller, key) => claimKey(ports, caller, key),
    noteRefusal: noteHere,
    enter: (reader, texts) => enterSession(ports, reader, texts),
  }
  // The router and its routes are a fifth of what a gate would load at its start; calls and MCP do not need them.
  const api = doorOnDemand(async () => {
    const [{ apiListener }, { allEndpoints }] = await Promise.all([
      import('../adapters/http/api-listener.ts'),
      import('../adapters/http/all-endpoints.ts'),
    ])
    const endpoints = await allEndpoints(GUESTS, observed, ports)
    return apiListener({ ...door, ...shared, endpoints, version: ports.version })
  }, shared)
  const authorization_servers = settings.config.auth.oidc.map(({ issuer }) => issuer)
  const guestTools = (await partsOf(({ ownTools }) => ownTools)).map((toolsOf) => toolsOf(ports))
  const mcp = mcpListener({
    ...shared,
    ...settings.config.mcp,
    gate: mcpPorts(observed, { guestTools, ownCodes: new Set(Object.keys(await allProblems(GUESTS))) }),
    authorization_servers,
    clock: opened.value.clock,
  })
  const calls = plainListener(callToolEndpoint(observed), { ...shared, door })
  const listening = await listen([mcp, calls, api], {
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
  const tools = ports.visibleTools.tools(LOCAL_OWNER).length
  const { admin_key } = prepared.value
  const greeting = [
    `sluice is up at ${url}, ${count(tools, 'tool')}, data in ${settings.data}\n`,
    ...(admin_key === undefined ? [] : [`your admin key is in ${admin_key}\n`]),
    ...(demo === undefined ? [] : [await demo.greet({ create: keyMaker(ports), url, command: demoCommand() })]),
  ]
  // In one piece, because lines of the log may be written at any time.
  process.stdout.write(greeting.join(''))
  const stopGivingBack = freeMemoryWhenIdle()
  const signal = await Promise.race([dead, untilStopped(() => void opened.value.live.reload('signal'))])
  stopGivingBack()
  log('info', signal === 'dead' ? 'stopping' : `received ${signal}; stopping`)
  // In this order: new requests are rejected, then streams end, then calls in progress get their answer.
  opened.value.stopTaking()
  // Balancers learn from `/readyz` that this node stops; connections that it no longer accepts would be lost.
  if (settings.config.store.postgres !== undefined && signal !== 'dead') await sleep(DRAIN_MS)
  stopping.abort()
  await Promise.all([listening.value.close(), opened.value.lastCalls(REQUEST_DRAIN_MS)])
  const isClean = await opened.value.close().then(
    () => true,
    (error: unknown) => {
      log('error', 'the gate was not closed cleanly', { error: String(error) })
      return false
    },
  )
  const code = signal === 'dead' || !isClean ? 1 : 0
  // A library may leave timers behind. Everything is closed by now, so the process does not wait for them.
  setTimeout(() => process.exit(code), LEFT_BEHIND_MS).unref()
  return code
}

const keyMaker =
  (ring: KeyRing): DemoGreeting['create'] =>
  (wanted) =>
    createCredential(ring, LOCAL_OWNER, wanted, 'operator')

/** If there is also a `sluice.yaml` in this folder, commands mean that one, unless they name the demo's. */
function demoCommand(): string {
  const name = commandName({ launcher: LAUNCHER, cwd: process.cwd(), env: process.env })
  return existsSync('sluice.yaml') ? commandFor(name, { config: `${DEMO}/sluice.yaml` }) : name
}

function complain(problem: Problem, file?: string): number {
  process.stderr.write(`${problemText(problem, file).join('\n')}\n`)
  return 1
}

function untilStopped(onHangUp: () => void): Promise<string> {
  return new Promise((resolve) => {
    // A second signal is handled too: Ctrl-C reaches the gate from the terminal and again from the launcher in front of it.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal))
    // For a service this means reload; in a terminal the same signal means that the terminal was closed.
    process.on('SIGHUP', () => (process.stdout.isTTY ? resolve('SIGHUP') : onHangUp()))
  })
}

type LogStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly fd?: number }

/** Readable lines on a terminal, one JSON object per line everywhere else. Secrets are removed from both. */
function openLog(stream: LogStream, scrub: ScrubText): Log {
  if (stream.isTTY === true)
    return (level, says, about) =>
      void stream.write(`${terminalLine(stream, level, scrub(says), scrubbed(scrub, about))}\n`)
  const logger = pino({ level: 'info', base: null }, pino.destination({ dest: stream.fd ?? 2, sync: false }))
  return (level, says, about) => logger[level](scrubbed(scrub, about), scrub(says))
}

const STYLES = { info: 'dim', warn: 'yellow', error: 'red' } as const
/** Only useful in the log file, and many lines long. */
const LEFT_OUT = new Set(['server', 'stack'])

/** `20:41:55 outbox: is ready with 4 tools`: the time, the source, and what happened; then details. */
function terminalLine(
  stream: LogStream,
  level: keyof typeof STYLES,
  says: string,
  about: Readonly<Record<string, unknown>>,
): string {
  const time = new Date().toLocaleTimeString('en-GB')
  const { server } = about
  const prefix = typeof server === 'string' ? `${server}: ` : ''
  const details = Object.entries(about)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const text = [`${prefix}${says}`, ...details].join('  ')
  const mark = level === 'info' ? '' : `${level}: `
  return styleText(STYLES[level], visibleText(`${time} ${mark}${text}`), { stream })
}

/** A tool server's stderr, or an error's text, may contain anything. */
function scrubbed(scrub: ScrubText, about: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(about).map(([key, value]) => [key, typeof value === 'string' ? scrub(value) : value]),
  )
}
