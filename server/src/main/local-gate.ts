import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { problem, refuse, type Result } from '../kernel/contract/problems.ts'
import type { LocalGate, StartedGate, UpOptions } from '../adapters/cli/local-gate.ts'
import { LAUNCHER } from '../adapters/files/own-programs.ts'
import { GUESTS } from './guests.ts'
import { makeDataFolder, placesIn, whyNotAsked } from './data-folder.ts'
import { problemText } from './problem-text.ts'
import { dataIn, loadConfig, type LoadedSettings } from './load-config.ts'
import { isTrusted } from './trust/check-trust.ts'
import { checkOwnedBy } from './trust/data-owner.ts'

/** The demo's folder, in the folder it was started in. */
export const DEMO = 'sluice-demo'
const DEMO_CONFIG = join(DEMO, 'sluice.yaml')
const OWN_CONFIG = 'sluice.yaml'
const START_MS = 15_000
declare module '../kernel/registries.ts' {
  interface Guest {
    /** If its own command starts gates with a section given on the command line: the key of the section, and why no other command starts one. */
    readonly ownStart?: { readonly key: string; readonly says: readonly string[] }
  }
}

const BY_ABSENT_COMMAND = ['this gate was last started by a command that this build does not have']

/** A gate started here would not know the section that the last one got on its command line. */
function whyOnlyByCommand(config: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const [own] = GUESTS.flatMap(({ ownStart }) => ownStart ?? [])
  if (own === undefined) return BY_ABSENT_COMMAND
  return config[own.key] === undefined ? own.says : undefined
}

/** The configuration that a gate started with these options reads. */
export const configFileOf = (options: UpOptions): string =>
  resolve(options.demo === true ? DEMO_CONFIG : (options.config ?? OWN_CONFIG))

/** The configuration of the gate that a command means: the one in this folder, otherwise the demo's. */
export const nearestConfig = (options: UpOptions): string =>
  isDemoMeant(options) ? resolve(DEMO_CONFIG) : configFileOf(options)

function isDemoMeant({ config, data, demo }: UpOptions): boolean {
  if (demo === true) return true
  if (config !== undefined || data !== undefined || existsSync(OWN_CONFIG)) return false
  return existsSync(DEMO_CONFIG) && !existsSync(placesIn(resolve('.sluice')).socket)
}

/** The settings of a gate started with these options. */
export function settingsOf(options: UpOptions): Result<LoadedSettings> {
  const isNamed = options.demo === true || options.config !== undefined
  const loaded = loadConfig(configFileOf(options), isNamed, options.section)
  if (!loaded.ok) return loaded
  const { config, data } = loaded.value
  const store = options.store === undefined ? config.store : { ...config.store, postgres: options.store }
  const meant = options.data === undefined ? data : resolve(options.data)
  return { ok: true, value: { ...loaded.value, config: { ...config, store }, data: meant } }
}

/** The settings of the gate that a command means. */
export const settingsMeant = (options: UpOptions): Result<LoadedSettings> =>
  settingsOf(isDemoMeant(options) ? { ...options, demo: true } : options)

/** The gate of these options on this machine: its socket, and how `sluice mcp` starts it if there is a trusted configuration for it. */
export function localGate(options: UpOptions): LocalGate {
  const file = nearestConfig(options)
  const loaded = settingsMeant(options)
  // A gate may be running on a configuration that now has a mistake: it is still the one to talk to.
  const data = loaded.ok ? loaded.value.data : resolve(options.data ?? dataIn(file))
  const { socket, log, node } = placesIn(data)
  return {
    socket,
    data,
    config: file,
    ...faultIn(options, file, data),
    notes: otherGates(options, file),
    async start() {
      if (!loaded.ok) return { is: 'failed', says: problemText(loaded.problem, file) }
      if (!existsSync(file)) return { is: 'not_configured' }
      const only = existsSync(node) ? whyOnlyByCommand({ ...loaded.value.config }) : undefined
      if (only !== undefined) return { is: 'failed', says: only }
      if (!isTrusted(loaded.value)) return { is: 'failed', says: problemText(problem('config.not_trusted', { file })) }
      const made = makeDataFolder(data)
      if (!made.ok) return { is: 'failed', says: problemText(made.problem, file) }
      return startGate({ file, data, socket, log })
    },
    // Looking takes a lock in the data folder, and nothing is written to a folder that an untrusted configuration names.
    comesUp: async () => (!existsSync(file) || (loaded.ok && isTrusted(loaded.value))) && comesUp({ data, socket }),
  }
}

/** Why no command is sent to this gate. */
function faultIn({ config, data: named }: UpOptions, file: string, data: string): { readonly fault?: string } {
  if (config !== undefined && named === undefined && !existsSync(file))
    return { fault: `there is no configuration file ${config}; check the path, or write one with: sluice init` }
  const why = whyNotAsked(data)
  return why === undefined ? {} : { fault: `the data folder ${data} is not used: ${why}` }
}

/** Printed if another gate than the intended one runs in this folder too. */
function otherGates({ config, data }: UpOptions, file: string): readonly string[] {
  if (config !== undefined || data !== undefined || file === resolve(DEMO_CONFIG)) return []
  if (!existsSync(DEMO_CONFIG) || !existsSync(placesIn(dataIn(resolve(DEMO_CONFIG))).socket)) return []
  return [`using the gate of ${relative('.', file)}; for the demo gate, add --config ${DEMO_CONFIG}`]
}

type Place = { readonly file: string; readonly data: string; readonly socket: string; readonly log: string }

/** Starts a gate in the background. All its output goes to the log file of the data folder. */
async function startGate({ file, data, socket, log }: Place): Promise<StartedGate> {
  const before = existsSync(log) ? statSync(log).size : 0
  const out = openSync(log, 'a', 0o600)
  const words = ['up', '--config', file, '--data', data]
  const child = spawn(process.execPath, [LAUNCHER, ...words], { detached: true, stdio: ['ignore', out, out] })
  closeSync(out)
  child.unref()
  for (let waited = 0; waited < START_MS; waited += 50) {
    if (await answers(socket)) return { is: 'started', log }
    if (hasEnded(child)) {
      if (await comesUp({ data, socket })) return { is: 'started', log }
      return { is: 'failed', says: complaintIn(log, before), log }
    }
    await sleep(50)
  }
  return { is: 'failed', says: [`it did not answer within ${START_MS / 1000} seconds`], log }
}

const LOOK_MS = 100

/** Waits while another process holds the data folder without answering: a gate that is starting or stopping. Whether one answers. */
async function comesUp({ data, socket }: Pick<Place, 'data' | 'socket'>): Promise<boolean> {
  const { lockStore } = await import('../adapters/stores/open-store.ts')
  for (let waited = 0; waited < START_MS && existsSync(data); waited += LOOK_MS) {
    if (await answers(socket)) return true
    const lock = await lockStore({ folder: data })
    if (lock.ok) lock.value.release()
    if (lock.ok || lock.problem.code !== 'gate.running') return false
    await sleep(LOOK_MS)
  }
  return false
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const LAST_LINES = 12

/** What an ended gate wrote, without log records. */
function complaintIn(log: string, from: number): readonly string[] {
  const lines = readFileSync(log).subarray(from).toString('utf8').split('\n')
  const message = lines.filter((line) => line.trim() !== '' && !line.startsWith('{'))
  return message.length === 0 ? ['it exited without a message'] : message.slice(-LAST_LINES)
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

/** For commands that work on the data folder itself: it must exist, because a mistyped option must not create a second one. */
export function existingData(options: UpOptions): Result<string> {
  const settings = settingsMeant(options)
  if (!settings.ok) return settings
  const { data, file } = settings.value
  if (!existsSync(data)) return refuse('data.absent', { folder: data })
  const owned = checkOwnedBy(data, file)
  return owned.ok ? { ok: true, value: data } : owned
}
