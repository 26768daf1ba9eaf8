import { issueLines } from '../../kernel/contract/issue-lines.ts'
import type { FileText } from '../../kernel/contract/api.ts'
import { Pack } from './pack.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { locateYaml } from '../../kernel/policy/located-yaml.ts'
import { CLIENTS } from './data/clients.ts'
import { CODE } from './data/code.ts'
import { SYSTEMS } from './data/systems.ts'
import { WORK } from './data/work.ts'
import { packOf } from './knowledge.ts'
import type { KnownPack } from './match-pack.ts'

/** The packs that come with the gate. */
export const BUILT_IN: readonly KnownPack[] = [...CODE, ...WORK, ...SYSTEMS, ...CLIENTS].map((knowledge) => ({
  pack: packOf(knowledge),
  source: 'built-in',
}))

/** The operator's own packs, then those that ship with the gate. An unreadable file is rejected, like any other setting. */
export function loadPacks(files: readonly FileText[]): Result<readonly KnownPack[]> {
  const own: KnownPack[] = []
  const faults: string[] = []
  for (const { file, text } of files) {
    const read = readPack(text)
    if (!read.ok) faults.push(`packs: ${file}: ${read.says}`)
    else if (own.some(({ pack }) => pack.pack === read.pack.pack))
      faults.push(`packs: ${file}: another file has the pack \`${read.pack.pack}\` too`)
    else own.push({ pack: read.pack, source: 'operator' })
  }
  if (faults.length > 0) return refuse('config.invalid', { paths: faults.join('; ') })
  const names = new Set(own.map(({ pack }) => pack.pack))
  return ok([...own, ...BUILT_IN.filter(({ pack }) => !names.has(pack.pack))])
}

type ReadPack = { readonly ok: true; readonly pack: Pack } | { readonly ok: false; readonly says: string }

function readPack(text: string): ReadPack {
  const located = locateYaml(text)
  if (!located.ok) return { ok: false, says: located.faults.map(({ says }) => says).join(', ') }
  const read = Pack.safeParse(located.yaml.value)
  if (read.success) return { ok: true, pack: read.data }
  return { ok: false, says: issueLines(read.error.issues, 'the file').join(', ') }
}
