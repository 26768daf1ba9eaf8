import type { Guest } from '../../kernel/registries.ts'

export const telemetry: Guest = {
  name: 'telemetry',
}
