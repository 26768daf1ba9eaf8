import type { ASTNode } from '@marcbachmann/cel-js'
import type { Json } from '../../../../contract/json.ts'
import type { Scope } from './scope.ts'
import { ANY, type Type } from './type.ts'
import { Failure, type Value } from './value.ts'

/** A mistake in a condition: at which character, what, and what to write instead. */
export type ConditionFault = { readonly at: number; readonly says: string; readonly instead: string }

export type Run = (scope: Scope) => Value
/** `literal`: the value itself, where it is written in the condition. */
export type Compiled = { readonly type: Type; readonly run: Run; readonly literal?: Json }

/** What a part of a condition is checked with. */
export type Context = {
  readonly args: Type
  /** The element names of `exists` and `all` around this part, outermost first. */
  readonly locals: readonly { readonly name: string; readonly type: Type }[]
  readonly fault: (fault: ConditionFault) => void
  /** Compiles a part inside this part. */
  readonly compile: (node: ASTNode, context: Context) => Compiled
}

/** The operator's own words for a part, for messages. They hold no argument's value. */
export function wordsOf(node: ASTNode): string {
  const text = node.input.slice(node.start, node.end)
  return `\`${text.length > 60 ? `${text.slice(0, 57)}…` : text}\``
}

export function faulty(node: ASTNode, { fault }: Context, says: string, instead: string): Compiled {
  fault({ at: node.start, says, instead })
  return { type: ANY, run: () => new Failure(says) }
}
