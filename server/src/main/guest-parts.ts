import type { Config } from '../kernel/contract/config.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import type { SharedKeyFile } from '../kernel/ports/shared-key-file.ts'
import type { TableEntry } from '../kernel/changes/table-entry.ts'
import type { EffectsSource } from '../kernel/ports/effects-source.ts'
import { UNKNOWN_FILES, type FileFacts, type OpenFiles } from '../kernel/ports/files.ts'
import type { OpenRanker } from '../kernel/ports/ranker.ts'
import { uncheckedPolicy, type PolicyCheck } from '../kernel/ports/policy-check.ts'
import type { Guest } from '../kernel/registries.ts'
import { GUESTS } from './guests.ts'

/** What the guests add to one part of the gate, loaded, in the order of the guests. */
export const partsOf = <T>(part: (guest: Guest) => (() => Promise<T>) | undefined): Promise<readonly T[]> =>
  Promise.all(GUESTS.flatMap((guest) => part(guest)?.() ?? []))

/** The files in the folder of keys that every node of a store has because of a guest. */
export const sharedKeyFiles = (): readonly SharedKeyFile[] => GUESTS.flatMap(({ sharedKeyFile }) => sharedKeyFile ?? [])

/** The same for a part of which a gate has at most one. */
export async function onlyPartOf<T>(part: (guest: Guest) => (() => Promise<T>) | undefined): Promise<T | undefined> {
  const [found] = await partsOf(part)
  return found
}

/** What guests know about the effects of tools, in one value. */
export async function effectsSource(config: Config, folder: string): Promise<Result<EffectsSource>> {
  let source: EffectsSource = {}
  for (const open of await partsOf(({ effects }) => effects)) {
    const opened = open(config, folder)
    if (!opened.ok) return opened
    source = { ...opened.value, ...source }
  }
  return ok(source)
}

export async function openRanker(config: Config, folder: string): Promise<Result<OpenRanker | undefined>> {
  const prepare = await onlyPartOf(({ ranker }) => ranker)
  return prepare === undefined ? ok(undefined) : prepare(config, folder)
}

/** Loaded when somebody asks for it. */
export const checkPolicy: PolicyCheck = async (policy, known) => {
  const check = await onlyPartOf(({ policyCheck }) => policyCheck)
  return (check ?? uncheckedPolicy)(policy, known)
}

/** Where paths lead on this machine, for arguments of tools. */
export const openFiles: (...given: Parameters<OpenFiles>) => Promise<FileFacts> = async (...given) =>
  (await onlyPartOf(({ files }) => files))?.(...given) ?? UNKNOWN_FILES

/** The tables of all guests. */
export const tableEntries = async (): Promise<readonly TableEntry[]> => (await partsOf(({ tables }) => tables)).flat()
