import { registerHooks } from 'node:module'

/** The thread that writes, without MACs. Only for measuring: no gate reads the rows that it writes. */
const substitute = new URL('without-macs.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.endsWith('/row-mac.ts') && context.parentURL !== substitute
      ? { url: substitute, shortCircuit: true }
      : next(specifier, context),
})
await import('../../server/src/adapters/stores/sqlite/worker.ts')
