import { CallerKind } from '../server/src/kernel/contract/caller.ts'
import { ACCESS, GRANTS } from './app-without-gate.ts'

/**
 * Who may use which route: one line per route, one column per kind of caller; `nobody` is a request without a credential. The last
 * column says which routes can give permission in somebody's name, and so require the proof of the person.
 */
export function accessMatrix(): string {
  const kinds = ['nobody', ...CallerKind.options]
  const names = [...ACCESS.keys()].sort((a, b) => sortKey(a).localeCompare(sortKey(b), 'en'))
  const width = Math.max(...names.map((name) => name.length))
  const lines = names.map((name) => {
    const access = ACCESS.get(name)
    const cells = kinds.map((kind) =>
      (access === 'anyone' || access?.some((one) => one === kind) ? 'yes' : '-').padEnd(kind.length),
    )
    return [name.padEnd(width), ...cells, GRANTS.has(name) ? 'proof' : '-'].join('  ')
  })
  return `${[`${'route'.padEnd(width)}  ${[...kinds, 'grants'].join('  ')}`, ...lines].join('\n')}\n`
}

/** By path, then by method. */
const sortKey = (name: string) => name.split(' ').toReversed().join(' ')
