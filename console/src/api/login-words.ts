import type { CSRF_HEADER as Header, LoginAnswer, LoginMethodsAnswer } from '../../../server/src/contract/login.ts'

export type { LoginAnswer, LoginMethodsAnswer }

/** The contract's word, here as plain text so that its schemas stay out of the page. */
export const CSRF_HEADER: typeof Header = 'x-csrf-token'
