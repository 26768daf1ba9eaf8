import { setFlagsFromString } from 'node:v8'

/** V8's compilers, from the fastest to the one with the fastest code. Without them it interprets. */
const COMPILERS = ['sparkplug', 'maglev', 'opt']
const OTHER_NAMES: Readonly<Record<string, string>> = { turbofan: 'opt' }

/**
 * The launcher starts a gate with an interpreter only, because machine code for what only a start does would stay in memory, with
 * the compilers' own pages: 15 MB of an idle gate. This turns the compilers on, except those that the operator set.
 */
export function optimise(execArgv: readonly string[], nodeOptions = ''): void {
  const given = new Set([...execArgv, ...nodeOptions.split(/\s+/)].map(compilerOf))
  for (const compiler of COMPILERS) if (!given.has(compiler)) setFlagsFromString(`--${compiler}`)
}

/** CPU time in µs. A start that takes more has thousands of tools to go through, which compiled code does faster. */
const LONG_START_US = 2_500_000
const LOOK_MS = 250

/** Calls `onLong` if the process takes long to start. Returns how to stop checking. */
export function watchLongStart(onLong: () => void): () => void {
  const timer = setInterval(() => {
    if (process.cpuUsage().user > LONG_START_US) onLong()
  }, LOOK_MS).unref()
  return () => clearInterval(timer)
}

function compilerOf(option: string): string {
  const name = option
    .replaceAll('_', '-')
    .replace(/^--(?:no-?)?/, '')
    .replace(/=.*$/, '')
  return OTHER_NAMES[name] ?? name
}
