import { existsSync } from 'node:fs'
import { whereIn } from './load-config.ts'

/** Faults are told in one text, each with its path before it. */
export const faultsIn = (text: string): readonly string[] =>
  text.split(/\n|; (?=(?:[\w.*-]+|the file)(?: \((?:line \d+|SLUICE_\w+)\))?: )/).filter((fault) => fault !== '')

/** The same faults, each with the place where its path stands: what is found after the file was read knows only the path. */
export function locatedFaults(text: string, file: string): readonly string[] {
  const placeOf = existsSync(file) ? whereIn(file) : () => undefined
  return faultsIn(text).map((fault) => {
    const [, path, says] = /^([\w.-]+): (.*)$/s.exec(fault) ?? []
    const place = path === undefined ? undefined : placeOf(path.split('.'))
    return place === undefined ? fault : `${path} (${place}): ${says}`
  })
}
