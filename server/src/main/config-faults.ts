import { existsSync } from 'node:fs'
import { whereIn } from './load-config.ts'

/** Faults are reported as one text, each preceded by its path. */
export const faultsIn = (text: string): readonly string[] =>
  text.split(/\n|; (?=(?:[\w.*-]+|the file)(?: \((?:line \d+|SLUICE_\w+)\))?: )/).filter((fault) => fault !== '')

/** The same faults, each with its place in the file: checks after parsing know only the path. */
export function locatedFaults(text: string, file: string): readonly string[] {
  const placeOf = existsSync(file) ? whereIn(file) : () => undefined
  return faultsIn(text).map((fault) => {
    const [, path, says] = /^([\w.-]+): (.*)$/s.exec(fault) ?? []
    const place = path === undefined ? undefined : placeOf(path.split('.'))
    return place === undefined ? fault : `${path} (${place}): ${says}`
  })
}
