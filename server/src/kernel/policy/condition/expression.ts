import type { ASTNode } from '@marcbachmann/cel-js'
import type { Json } from '../../contract/json.ts'
import type { Scope } from './scope.ts'
import { ANY, type Type } from './type.ts'
import { Failure, type Value } from './value.ts'

/** A mistake in a condition: where it is, what is wrong, and what to write instead. */
export type ConditionFault = { readonly at: number; readonly says: string; readonly instead: string }

export type Evaluate = (scope: Scope) => Value
/** `literal`: the value itself, if it is a literal in the condition. */
export type Compiled = { readonly type: Type; readonly run: Evaluate; readonly literal?: Json }

/** The context in which a part of a condition is checked. */
export type Context = {
  readonly args: Type
  /** The element names of `exists` and `all` around this part, outermost first. */
  readonly locals: readonly { readonly name: string; readonly type: Type }[]
  readonly fault: (fault: ConditionFault) => void
  /** Compiles a nested part. */
  readonly compile: (node: ASTNode, context: Context) => Compiled
}

/** The source text of a part, for messages. Contains no argument values. */
export function wordsOf(node: ASTNode): string {
  const text = node.input.slice(node.start, node.end)
  return `\`${text.length > 60 ? `${text.slice(0, 57)}…` : text}\``
}

export function faulty(node: ASTNode, { fault }: Context, says: string, instead: string): Compiled {
  fault({ at: node.start, says, instead })
  return { type: ANY, run: () => new Failure(says) }
}
