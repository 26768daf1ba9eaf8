import type { Caller } from '../../kernel/contract/caller.ts'

/** The person behind a caller, as a hash: an agent acts for its person, so it may use what that person minted. */
export const actorHash = (digest: (text: string) => string, { user }: Pick<Caller, 'user'>): string =>
  digest(JSON.stringify(['flow-actor', user]))
