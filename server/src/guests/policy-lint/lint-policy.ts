import type { LintReport, PolicyCheck } from '../../kernel/ports/policy-check.ts'
import type { Policy } from '../../kernel/policy/policy.ts'
import { lintPolicy as findInPolicy } from './find-in-policy.ts'
import { needsProof, provePolicy } from './prove-policy.ts'
import { listedTools } from '../../kernel/catalogue/listed-tools.ts'
import { listedIds } from '../../kernel/text/nearest-tool.ts'
import { schemasIn } from '../../kernel/policy/load-policy.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'
import type { Z3_context } from 'z3-solver'
import type { Solve } from './solved-call.ts'

/** Probable mistakes in a policy, each with a call that shows it. */
export async function lintPolicy(
  policy: Policy,
  { catalogue, solver }: { readonly catalogue?: Catalogue; readonly solver?: Solver },
): Promise<LintReport> {
  const { file, version, operator } = policy
  const listed = listedTools(listedIds(catalogue?.tools() ?? []))
  const options = { schemas: schemasIn(catalogue), listed }
  const findings = findInPolicy(policy, options)
  const report = { policy: { file, version }, rules: operator.rules.length }
  if (!needsProof(policy)) return { ...report, findings, depth: 'tried', open: 0 }
  const proven = await solver?.((solve) => provePolicy(policy, options, solve, findings))
  if (proven === undefined) return { ...report, findings, depth: 'unproven', open: 0 }
  return { ...report, findings: [...findings, ...proven.findings], depth: 'proven', open: proven.open }
}

/** With the solver, if it is installed. */
export const checkPolicy: PolicyCheck = (policy, known) => lintPolicy(policy, { ...known, solver: z3 })

/** Starts a solver, uses it and stops it; undefined if there is none. */
type Solver = <T>(use: (solve: Solve) => Promise<T>) => Promise<T | undefined>

/** A solver that is loaded only when needed: 35 MB on disk, and half a second to start. Absent if it was not installed. */
export const z3: Solver = async (use) => {
  const loaded = await import('z3-solver').catch(() => undefined)
  if (loaded === undefined) return undefined
  const { Z3, em } = await loaded.init()
  const memory = em as SolverMemory
  try {
    return await use(async (script) => {
      const context = Z3.mk_context(Z3.mk_config())
      const stored = storeText(memory, script)
      try {
        return await memory.async_call(memory._async_Z3_eval_smtlib2_string, context, stored)
      } catch {
        // What the solver refuses to answer is an open question.
        return undefined
      } finally {
        memory._free(stored)
        Z3.del_context(context)
      }
    })
  } finally {
    // Its threads would keep this process alive.
    await loaded.killThreads(em).catch(() => undefined)
  }
}

/** The part of the WebAssembly module that is used here. Its memory has a fixed size. */
type SolverMemory = {
  readonly HEAPU8: Uint8Array
  _malloc(bytes: number): number
  _free(at: number): void
  async_call(start: SolverMemory['_async_Z3_eval_smtlib2_string'], context: Z3_context, script: number): Promise<string>
  _async_Z3_eval_smtlib2_string(context: Z3_context, script: number): void
}

/**
 * Copies a script to the solver's heap. The package's own `eval_smtlib2_string` puts it on the stack and returns before the
 * solver's thread has read it, so part of the script is sometimes overwritten.
 */
function storeText(memory: SolverMemory, text: string): number {
  const bytes = Buffer.from(`${text}\u0000`)
  const at = memory._malloc(bytes.length)
  memory.HEAPU8.set(bytes, at)
  return at
}
