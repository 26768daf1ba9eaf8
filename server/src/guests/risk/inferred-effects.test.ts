import { expect, test } from 'vitest'
import { inferEffects } from './infer-effects.ts'
import { rememberEffects } from './inferred-effects.ts'

const tool = (name: string) => ({ name, description: '', inputSchema: {} })

function counted(most?: number) {
  const asked: string[] = []
  const infer = rememberEffects((definition) => {
    asked.push(definition.name)
    return inferEffects(definition)
  }, most)
  return { asked, infer }
}

test('a definition is inferred once, and has the same effects the second time', () => {
  const { asked, infer } = counted()
  const first = infer(tool('delete_file'), 'h1')
  expect(infer(tool('delete_file'), 'h1')).toEqual(first)
  expect(first).toEqual(inferEffects(tool('delete_file')).effects)
  expect(asked).toEqual(['delete_file'])
})

test('another hash is another definition', () => {
  const { infer } = counted()
  expect(infer(tool('get_file'), 'h1')).toEqual(['read'])
  expect(infer(tool('delete_file'), 'h2')).toContain('destructive')
})

test('the number of cached entries is limited, and the least recently used one is dropped', () => {
  const { asked, infer } = counted(2)
  infer(tool('a'), 'a')
  infer(tool('b'), 'b')
  infer(tool('a'), 'a')
  infer(tool('c'), 'c')
  infer(tool('a'), 'a')
  infer(tool('b'), 'b')
  expect(asked).toEqual(['a', 'b', 'c', 'b'])
})
