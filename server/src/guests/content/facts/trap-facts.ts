import type { TrapFacts, TrapFile } from '../judge-trap.ts'
import type { FactsPorts } from '../../../kernel/decide/judging.ts'

type TrapPorts = Pick<FactsPorts, 'files' | 'judgement'>

/** The current paths of the honey files. */
export function trapFacts(deps: TrapPorts): TrapFacts | Promise<TrapFacts> {
  return deps.judgement.trapFiles.length === 0 ? NO_TRAPS : findFiles(deps)
}

const NO_TRAPS: TrapFacts = { files: [] }

async function findFiles({ files, judgement: { trapFiles } }: TrapPorts): Promise<TrapFacts> {
  const found: TrapFile[] = []
  for (const { name, path } of trapFiles) {
    const stands = await files.configured(path)
    if (stands === undefined) return { files: 'unknown' }
    found.push({ name, path: stands })
  }
  return { files: found }
}
