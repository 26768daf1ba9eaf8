import type { CallerKind } from '../../kernel/contract/caller.ts'

export const PEOPLE: readonly CallerKind[] = ['user', 'approver', 'reviewer', 'admin']
export const CALLERS: readonly CallerKind[] = ['agent', ...PEOPLE, 'node']
export const DECIDERS: readonly CallerKind[] = ['approver', 'admin']
export const OVERSEERS: readonly CallerKind[] = ['approver', 'reviewer', 'admin']
export const ADMINS: readonly CallerKind[] = ['admin']

export type Access = readonly CallerKind[] | 'anyone'
