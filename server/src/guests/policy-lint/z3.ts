import type { Z3_context } from 'z3-solver'
import type { Solve } from './solved-call.ts'

/** Starts a solver, uses it and stops it; undefined if there is none. */
export type Solver = <T>(use: (solve: Solve) => Promise<T>) => Promise<T | undefined>

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
