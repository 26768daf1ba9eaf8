import type { Transport } from './transport.ts'

/** A server that is not started, because something that it needs is missing. */
export const missingSecret = (missing: readonly string[]): Transport => ({
  connect: async () => ({
    is: 'failed',
    says: `it is not started, because a secret is missing: ${missing.join('; ')}`,
  }),
  stderr: () => [],
  hide: (says) => says,
})
