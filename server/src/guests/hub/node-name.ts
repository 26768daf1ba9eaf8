import { callerIdentity, type CallerNames } from '../../kernel/contract/caller-identity.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { NodeName } from './hub.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'

/** `key`: for ids in the ledger. Two nodes of one name and different users are two nodes. */
export type Node = { readonly name: string; readonly key: string }

/** A node is identified by its key alone, whatever its messages say. */
export function nodeOf(caller: Caller): Result<Node> {
  const { kind, id } = caller
  const name = NodeName.safeParse(id.slice('node:'.length))
  return kind === 'node' && id.startsWith('node:') && name.success
    ? ok({ name: name.data, key: keyOf(caller, name.data) })
    : refuse('auth.forbidden', { needs: 'node' })
}

/** The user of a node is its name unless its key says otherwise. No name of a node looks like the other form. */
const keyOf = (caller: CallerNames, name: string) => (caller.user === name ? name : callerIdentity(caller))
