import { type Result } from '../../kernel/contract/problems.ts'
import { refuse } from './problems.ts'

/** A request that cannot be carried out as sent. The message is public: clients show it. */
export const bad = (message: string): Result<never> => refuse('BAD_REQUEST', { message })
