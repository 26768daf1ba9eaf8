import { join } from 'node:path'
import type { SeenEntries } from '../../kernel/ports/audit.ts'
import { NewestEntries } from '../../kernel/contract/newest-entry.ts'
import { readPrivateFile } from './key-files.ts'
import { writeAtomically } from './write-atomically.ts'

export const SEEN_FILE = 'seen-entries.json'

type Entry = ReturnType<SeenEntries['all']>[number]

/**
 * The newest entries of all streams that this node has seen, beside its keys: somebody who can only write the database cannot cut
 * them off. The file is written in the background. A file that cannot be read counts as absent: a power failure may leave one.
 */
export function openSeenEntries(folder: string, onFault: (error: Error) => void): SeenEntries {
  const file = join(folder, SEEN_FILE)
  let entries = new Map(entriesIn(file).map((entry) => [entry.stream, entry]))
  let writing: Promise<void> = Promise.resolve()

  const write = async (): Promise<void> => {
    const text = JSON.stringify({ v: 1, entries: [...entries.values()].map((entry) => ({ v: 1, ...entry })) })
    const written = await writeAtomically(file, text)
    if (!written.ok) onFault(new Error(`\`${SEEN_FILE}\` in the keys folder cannot be written`))
  }
  const save = (): void => {
    // One after the other; each writes the newest state.
    writing = writing.then(write)
  }
  return {
    all: () => [...entries.values()],
    see(heads) {
      const newer = heads.filter(({ stream, seq }) => seq > (entries.get(stream)?.seq ?? 0))
      for (const { stream, seq, hash } of newer) entries.set(stream, { stream, seq, hash })
      if (newer.length > 0) save()
    },
    forget() {
      entries = new Map()
      save()
    },
    settled: () => writing,
  }
}

function entriesIn(file: string): readonly Entry[] {
  const text = readPrivateFile(file)
  if (!text.ok || text.value === undefined) return []
  try {
    return NewestEntries.parse(JSON.parse(text.value)).entries
  } catch {
    return []
  }
}
