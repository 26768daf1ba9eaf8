import type {
  CSRF_HEADER as Header,
  LoginAnswer,
  LoginHereAnswer,
  LoginMethodsAnswer,
  OIDC_CALLBACK as Callback,
} from '../../../server/src/kernel/identity/login.ts'

export type { LoginAnswer, LoginHereAnswer, LoginMethodsAnswer }

/** Copied from the contract, so that its schemas are not bundled. */
export const CSRF_HEADER: typeof Header = 'x-csrf-token'
export const OIDC_CALLBACK: typeof Callback = '/v1/login/oidc/callback'
