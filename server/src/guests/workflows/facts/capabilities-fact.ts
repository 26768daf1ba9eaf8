import type { Call } from '../../../kernel/contract/call.ts'
import type { Facts } from '../../../kernel/decide/facts.ts'
import type { MaybePromise } from '../../../kernel/ports/runtime.ts'
import type { Documents } from '../api.ts'

/** Absent if no documents are run: then a call that names one is blocked. */
export type CapabilitiesPorts = { readonly documents?: Pick<Documents, 'version'> }

/** The capabilities of the calling run's document; undefined for a call without one. */
export function capabilitiesFact(deps: CapabilitiesPorts, { by_run }: Call): MaybePromise<Facts['capabilities']> {
  return by_run?.document === undefined ? undefined : capabilitiesIn(deps, by_run.document)
}

async function capabilitiesIn({ documents }: CapabilitiesPorts, document: string): Promise<Facts['capabilities']> {
  const [name, version] = splitDocument(document)
  try {
    return (await documents?.version(name, Number(version)))?.capabilities ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

/** `name@version`. */
export const splitDocument = (document: string): readonly [string, string] => {
  const at = document.lastIndexOf('@')
  return [document.slice(0, at), document.slice(at + 1)]
}
