/**
 * Files with plain statistics about a Linux process. The rest of its folder exposes its environment, its memory and its open
 * files.
 */
const HARMLESS = new Set(
  'status stat statm limits io comm cmdline cgroup mounts mountinfo loginuid oom_score oom_score_adj sched schedstat'.split(
    ' ',
  ),
)

/**
 * Whether a path goes through a process's own files, such as `/proc/self/cwd` or `/dev/fd/3`. Its target depends on which process
 * opens it, so the gate cannot resolve it; and `/proc/<pid>/environ` and `mem` contain the gate's secrets.
 */
export function isProcessFile(path: string): boolean {
  const names = path.split(/[\\/]+/).filter((name) => name !== '' && name !== '.')
  if (!/^[\\/]/.test(path)) return false
  const [first, second, third] = names
  if (first === 'dev') return second === 'fd' || second === 'stdin' || second === 'mem' || second === 'kmem'
  if (first !== 'proc') return false
  if (second === 'kcore') return true
  if (second === undefined || !/^(?:self|thread-self|\d+|[*?[{].*)$/.test(second)) return false
  return third !== undefined && !HARMLESS.has(third)
}

/** Whether a path leads to other files through a process: `/proc/self/cwd/x`, `/dev/fd/3/x`. */
export const isBehindProcess = (path: string): boolean =>
  /^\/(?:proc\/[^/]+\/(?:task\/[^/]+\/)?(?:cwd|root|fd\/[^/]+)|dev\/fd\/[^/]+)\/./i.test(
    path.replace(/\/(?:\.?\/)+/g, '/'),
  )
