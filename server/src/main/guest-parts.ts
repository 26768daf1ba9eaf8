import type { SharedKeyFile } from '../kernel/ports/shared-key-file.ts'
import type { TableEntry } from '../kernel/changes/table-entry.ts'
import { unguarded, type TextGuard } from '../kernel/ports/text-guard.ts'
import { UNKNOWN_FILES, type FileFacts, type OpenFiles } from '../kernel/ports/files.ts'
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

export const textGuard = async (known: () => readonly string[]): Promise<TextGuard> =>
  ((await onlyPartOf((guest) => guest.textGuard)) ?? unguarded)(known)
