import { z } from 'zod'
import type { GuestFeatures } from '../../adapters/http/endpoint.ts'

export const features: GuestFeatures = {
  fields: {
    /** `scripted`: no model is configured, and a script with a few phrases answers. */
    agent: z.object({
      model: z.enum(['configured', 'scripted']),
      /** What the script of the demo understands. */
      phrases: z.array(z.string()),
    }),
  },
  read: ({ models }) => ({
    agent: { model: models.notice === undefined ? 'configured' : 'scripted', phrases: models.phrases },
  }),
}
