import type { TrapFacts, TrapFile } from '../../../core/gate/judge-trap.ts'
import type { FilesDeps } from './files-fact.ts'

/** The bait, and where the honey files stand now. */
export function trapFacts(deps: FilesDeps): TrapFacts | Promise<TrapFacts> {
  const { traps, trapFiles } = deps.judgement
  return trapFiles.length === 0 ? { traps, files: [] } : findFiles(deps)
}

async function findFiles({ files, judgement: { traps, trapFiles } }: FilesDeps): Promise<TrapFacts> {
  const found: TrapFile[] = []
  for (const { name, path } of trapFiles) {
    const stands = await files.configured(path)
    if (stands === undefined) return { traps, files: 'unknown' }
    found.push({ name, path: stands })
  }
  return { traps, files: found }
}
