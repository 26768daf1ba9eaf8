import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DoctorFinding } from '../../kernel/contract/doctor.ts'
import type { HookPlace, HookProgram, HostEnvironment } from '../../adapters/files/client-hooks.ts'
import { isHooked, withHooks } from './hook-files.ts'
import { opencodeSettings, presentPlaces } from './hook-places.ts'
import { readJsonc } from '../../adapters/files/jsonc.ts'
import { isThisRelease } from './installed-hook.ts'
import { closedSettings, isClosedText } from './opencode-permission.ts'
import { textIn } from '../../adapters/files/whole-file.ts'

const about = 'hooks'
const AGAIN = 'install them again: `sluice init --write --hooks`'

/** Coding agents whose built-in tools the gate does not see, hooks that do not work, and what working hooks do not cover. */
export function checkHooks(
  around: HostEnvironment,
  program: HookProgram,
  switchedOff: Readonly<Record<string, string>>,
): readonly DoctorFinding[] {
  return presentPlaces(around).flatMap((place) => findingsOf(place, program, switchedOff[place.client]))
}

/** Those whose hooks ask the gate with this socket. */
export const askingAt = (socket: string, around: HostEnvironment): readonly string[] =>
  presentPlaces(around).flatMap(({ client, file }) => {
    const text = textIn(file) ?? ''
    return isHooked(text) && unquoted(text).includes(socket) ? [client] : []
  })

function findingsOf(place: HookPlace, program: HookProgram, how: string | undefined): readonly DoctorFinding[] {
  const { client, file } = place
  const text = textIn(file)
  if (text === undefined && existsSync(file)) {
    const says = `whether ${client} has hooks is not known: ${file} cannot be read as text`
    return [{ severity: 'warning', about, says, do: 'correct that file' }]
  }
  if (text === undefined || !isHooked(text)) {
    const says = `the built-in shell and editor of ${client} bypass Sluice: no hook of Sluice is installed in ${file}`
    const off = how === undefined ? '' : `, or switch them off, ${how}`
    return [{ severity: 'warning', about, says, do: `install the hooks: \`sluice init --write --hooks\`${off}` }]
  }
  const off = switchedOff(place)
  if (off !== undefined)
    return [
      {
        severity: 'error',
        about,
        says: `${client} does not run its hooks: ${off.says} (${off.file})`,
        do: 'remove that setting: its built-in tools are not judged',
      },
    ]
  const broken = brokenPath(text, program)
  if (broken !== undefined)
    return [{ severity: 'error', about, says: `the hooks of ${client} ${broken} (${file})`, do: AGAIN }]
  if (client !== 'opencode' && !isThisRelease(program.hook))
    return [
      {
        severity: 'error',
        about,
        says: `the program that the hooks of ${client} start differs from the one of this release (${program.hook})`,
        do: 'write it again: `sluice init --write --hooks`, or start the gate',
      },
    ]
  if (isOutdated(place, program))
    return [
      {
        severity: 'warning',
        about,
        says: `the hooks of ${client} differ from those that this release installs (${file})`,
        do: AGAIN,
      },
    ]
  if (client === 'opencode' && !isClosedText(textIn(opencodeSettings(place.home)) ?? ''))
    return [
      {
        severity: 'warning',
        about,
        says: 'opencode runs every tool when the plugin does not load, because its settings permit them',
        do: AGAIN,
      },
    ]
  const says = `the hooks of ${client} are installed (${file}); whether it runs them is not known here`
  return [
    {
      severity: 'note',
      about,
      says,
      do: STAYS_OPEN[client] ?? 'server/src/guests/hooks/README.md lists what hooks do not cover',
    },
  ]
}

const unquoted = (text: string) => text.replaceAll(String.raw`'\\''`, "'").replaceAll('\\"', '"')

/** Words of the installed command that do not exist, or belong to another gate. */
function brokenPath(text: string, { socket }: HookProgram): string | undefined {
  const plain = unquoted(text)
  const hook = /(\/[^"']{0,1000}?sluice-hook\.cjs)/.exec(plain)?.[1]?.split(' ').at(-1)
  if (hook !== undefined && !existsSync(hook)) return `start a program that does not exist, \`${hook}\``
  if (!plain.includes(socket)) return `ask another gate than the one of this data folder (${socket})`
  return undefined
}

/** Another Node version does not matter as long as it exists. */
function isOutdated(place: HookPlace, program: HookProgram): boolean {
  const text = textIn(place.file) ?? ''
  const own = place.client === 'opencode' ? closedSettings(textIn(opencodeSettings(place.home)), text).own : undefined
  const node = / sluice \d+ ('[^']+'|\S+) \S*sluice-hook\.cjs/.exec(text)?.[1]?.replaceAll("'", '') ?? program.node
  return withHooks(place, { ...program, node, ...(own === undefined ? {} : { own }) }) !== undefined
}

type Off = { readonly file: string; readonly says: string }

/** The client's own switch for hooks, if it is off. */
function switchedOff({ client, home, file }: HookPlace): Off | undefined {
  if (client === 'codex') {
    const settings = join(home, 'config.toml')
    const isOff = /^[ \t]*(?:features\.)?(?:codex_)?hooks[ \t]*=[ \t]*false\b/m.test(textIn(settings) ?? '')
    return isOff ? { file: settings, says: '`hooks = false`' } : undefined
  }
  if (client === 'opencode' || client === 'copilot') return undefined
  for (const settings of client === 'cursor' ? [] : [file, join(home, 'settings.local.json')]) {
    const read = jsonIn(settings)
    const says = SWITCHES.find(([path, value]) => valueAt(read, path) === value)
    if (says !== undefined) return { file: settings, says: `\`${says[0].join('.')}: ${String(says[1])}\`` }
    const disabled = [valueAt(read, ['hooks', 'disabled']), valueAt(read, ['hooksConfig', 'disabled'])].flat()
    if (disabled.includes('sluice'))
      return { file: settings, says: 'the hook `sluice` is in the list of disabled ones' }
  }
  return undefined
}

const SWITCHES: readonly (readonly [readonly string[], boolean])[] = [
  [['disableAllHooks'], true],
  [['hooksConfig', 'enabled'], false],
  [['hooks', 'enabled'], false],
  [['tools', 'enableHooks'], false],
]

function jsonIn(file: string): unknown {
  try {
    return existsSync(file) ? readJsonc(readFileSync(file, 'utf8')) : {}
  } catch {
    return {}
  }
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? at[key as never] : undefined),
    value,
  )

const STAYS_OPEN: Readonly<Record<string, string>> = {
  codex: 'start codex once and trust the hooks (`/hooks`): until then it skips them silently',
  opencode: 'a project with an opencode.json of its own can permit tools again while the plugin does not load',
  gemini: 'over ACP (in editors) Gemini fires no tool hooks',
  copilot: 'a hook that takes longer than its limit lets the call run',
}
