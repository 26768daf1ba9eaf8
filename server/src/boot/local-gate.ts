import { spawn } from 'node:child_process'
import { existsSync, openSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UpOptions } from '../doors/cli/cli-boot.ts'
import { placesIn } from './data-folder.ts'
import { dataIn, loadConfig } from './load-config.ts'

export const LAUNCHER = join(import.meta.dirname, '../../bin/sluice')
/** Where the demo stands, in the folder it was started in. */
export const DEMO = 'sluice-demo'
const START_MS = 15_000

/** The configuration file that command line options lead to. */
export const configFileOf = (options: UpOptions): string =>
  resolve(options.demo === true ? join(DEMO, 'sluice.yaml') : (options.config ?? 'sluice.yaml'))

/** The settings that command line options lead to. The demo keeps its data where it was started. */
export function settingsOf(options: UpOptions) {
  const named = options.demo === true ? join(DEMO, 'sluice.yaml') : options.config
  const loaded = loadConfig(named ?? 'sluice.yaml', named !== undefined)
  if (!loaded.ok) return loaded
  const isSet = loaded.value.env.overrides.some(({ path }) => path[0] === 'data')
  const data = options.data ?? (options.demo === true && !isSet ? '.sluice' : undefined)
  return { ok: true, value: data === undefined ? loaded.value : { ...loaded.value, data: resolve(data) } } as const
}

/** The gate of these options on this machine: its socket, and how to start it where there is a configuration for it. */
export function localGate(options: UpOptions): { readonly socket: string; start(): Promise<boolean> } {
  const loaded = settingsOf(options)
  // A gate may be running on a configuration that has a mistake since: it is still the one to talk to.
  const data = loaded.ok ? loaded.value.data : resolve(options.data ?? dataIn(configFileOf(options)))
  const { socket, log } = placesIn(data)
  return {
    socket,
    async start() {
      if (!loaded.ok || !existsSync(loaded.value.file)) return false
      const out = existsSync(data) ? openSync(log, 'a', 0o600) : 'ignore'
      const words = ['up', '--config', loaded.value.file, '--data', data]
      spawn(process.execPath, [LAUNCHER, ...words], { detached: true, stdio: ['ignore', out, out] }).unref()
      for (let waited = 0; waited < START_MS; waited += 50) {
        if (await answers(socket)) return true
        await sleep(50)
      }
      return false
    },
  }
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
