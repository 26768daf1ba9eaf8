import type { TrapFacts, TrapFile } from '../../core/gate/judge-trap.ts'
import type { FilesDeps } from './files-fact.ts'

/** The bait, and where the honey files stand now. */
export async function trapFacts({ files, judgement }: FilesDeps): Promise<TrapFacts> {
  const { traps, trapFiles } = judgement
  const found: TrapFile[] = []
  for (const { name, path } of trapFiles) {
    const stands = await files.configured(path)
    if (stands === undefined) return { traps, files: 'unknown' }
    found.push({ name, path: stands })
  }
  return { traps, files: found }
}
