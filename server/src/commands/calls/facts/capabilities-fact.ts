import type { Call } from '../../../contract/call.ts'
import type { Facts } from '../../../core/gate/facts.ts'
import type { Documents } from '../../workflows/documents.ts'

/** Absent where nobody runs documents: then a call that names one is blocked. */
export type CapabilitiesDeps = { readonly documents?: Pick<Documents, 'version'> }

/** What the document of the run that calls may do; nothing for a call without one. */
export async function capabilitiesFact(
  { documents }: CapabilitiesDeps,
  { by_run }: Call,
): Promise<Pick<Facts, 'capabilities'>> {
  if (by_run?.document === undefined) return {}
  const [name, version] = splitDocument(by_run.document)
  try {
    return { capabilities: (await documents?.version(name, Number(version)))?.capabilities ?? 'unknown' }
  } catch {
    return { capabilities: 'unknown' }
  }
}

/** `name@version`. */
export const splitDocument = (document: string): readonly [string, string] => {
  const at = document.lastIndexOf('@')
  return [document.slice(0, at), document.slice(at + 1)]
}
