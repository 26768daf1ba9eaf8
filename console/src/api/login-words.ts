import type {
  CSRF_HEADER as Header,
  LoginAnswer,
  LoginHereAnswer,
  LoginMethodsAnswer,
} from '../../../server/src/contract/login.ts'

export type { LoginAnswer, LoginHereAnswer, LoginMethodsAnswer }

/** Copied from the contract, so that its schemas are not bundled. */
export const CSRF_HEADER: typeof Header = 'x-csrf-token'
