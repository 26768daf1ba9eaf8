import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts CPU time of processes in hundredths of a second. */
const TICK_US = 10_000

type Process = { readonly pid: number; readonly parent: number; readonly us: number }

/** CPU time in µs, and how often a thread has gone to sleep to wait for something. */
export type Used = { readonly us: number; readonly switches: number }

/** What a process and its descendants have used so far, without the tool servers among them. Linux only, else NaN. */
export function usedBy(root: number): Used {
  if (process.platform !== 'linux') return { us: Number.NaN, switches: Number.NaN }
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((found) => found !== undefined)
  const sum = (pid: number): Used => {
    // A gateway may name its tool server in its own command line.
    if (pid !== root && isToolServer(pid)) return { us: 0, switches: 0 }
    const own = { us: all.find((one) => one.pid === pid)?.us ?? 0, switches: switchesOf(pid) }
    return all.filter(({ parent }) => parent === pid).reduce((total, child) => plus(total, sum(child.pid)), own)
  }
  return sum(root)
}

export const cpuOf = (root: number): number => usedBy(root).us

const plus = (one: Used, other: Used): Used => ({ us: one.us + other.us, switches: one.switches + other.switches })

/** Over all threads of a process. */
function switchesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((task) => readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8'))
      .reduce((total, status) => total + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0), 0)
  } catch {
    return 0
  }
}

function statOf(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may contain any characters; only numbers follow it.
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
