import type { Solver } from '../commands/policy/lint-policy.ts'

/** A solver that is loaded only when needed: 35 MB on disk, and half a second to start. Absent if it was not installed. */
export const z3: Solver = async (use) => {
  const loaded = await import('z3-solver').catch(() => undefined)
  if (loaded === undefined) return undefined
  const { Z3, em } = await loaded.init()
  try {
    return await use(async (script) => {
      const context = Z3.mk_context(Z3.mk_config())
      try {
        return await Z3.eval_smtlib2_string(context, script)
      } catch {
        // What the solver refuses to answer is an open question.
        return undefined
      } finally {
        Z3.del_context(context)
      }
    })
  } finally {
    // Its threads would keep this process alive.
    await loaded.killThreads(em).catch(() => undefined)
  }
}
