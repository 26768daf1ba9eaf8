import type { Guest } from '../../kernel/registries.ts'

export const serverLogins: Guest = {
  name: 'server-logins',
}
