import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts CPU time of processes in hundredths of a second. */
const TICK_US = 10_000

type Process = { readonly pid: number; readonly parent: number; readonly us: number }

/** The CPU time of a process and its descendants so far, in µs, without the tool servers among them. Linux only, else NaN. */
export function cpuOf(root: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((found) => found !== undefined)
  const sum = (pid: number): number => {
    // A gateway may name its tool server among its own words.
    if (pid !== root && isToolServer(pid)) return 0
    const own = all.find((one) => one.pid === pid)?.us ?? 0
    return all.filter(({ parent }) => parent === pid).reduce((total, child) => total + sum(child.pid), own)
  }
  return sum(root)
}

function statOf(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold anything; what follows it is numbers.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { pid, parent: Number(fields[1]), us: (Number(fields[11]) + Number(fields[12])) * TICK_US }
  } catch {
    return undefined
  }
}

function isToolServer(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('gate/tool-server.ts')
  } catch {
    return false
  }
}
