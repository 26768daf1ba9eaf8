import { refuse, type Result } from '../../contract/problems.ts'

/** A request that cannot be carried out as it stands. The message is public wording: clients show it. */
export const bad = (message: string): Result<never> => refuse('BAD_REQUEST', { message })
