import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void

/**
 * Collects all garbage of the thread that calls it, and returns the empty pages to the operating system. It is V8's own function, which is
 * visible only in contexts created after it was enabled.
 */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  return () => collect({ type: 'major', flavor: 'last-resort' })
}
