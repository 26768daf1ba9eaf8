import { expect, test } from 'vitest'
import { asCalled } from '../../kernel/decide/as-called.ts'
import { decide } from '../../../test/judging.ts'
import { compilePolicy } from '../../kernel/policy/compile-policy.ts'
import { shellReading } from './shell-command.ts'
import { callWith, neutralFacts, toolWith } from '../../kernel/decide/neutral-facts.suite.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the preset compiles')
const policy = compiled.value
const shell = {
  ...toolWith({ command: { type: 'string' } }, ['write', 'destructive', 'external', 'privileged']),
  shell: 'command',
}

function judged(args: Parameters<typeof callWith>[0]) {
  const call = callWith(args)
  const tool = asCalled({ commandOf: shellReading }, shell, call)
  return { tool, ...decide(policy, call, neutralFacts(tool)) }
}

test('a command that only reads is allowed, although the tool could do everything', () => {
  const { effect, tool, evidence } = judged({ command: 'git log | head -3' })
  expect(effect).toBe('allow')
  expect(tool).toMatchObject({ effects: ['read'], risk: 'low' })
  expect(evidence).toContainEqual(
    expect.objectContaining({ decider: 'shell', says: '1. `git` reads; 2. `head` reads' }),
  )
})

test('the preset asks about a write, the decider itself about an unknown program and a secret', () => {
  expect(judged({ command: 'echo a > b' })).toMatchObject({
    effect: 'ask',
    strength: 'simple',
    tool: { risk: 'medium' },
  })
  expect(judged({ command: 'frobnicate' }).evidence).toContainEqual(
    expect.objectContaining({ rule: 'shell.unknown', effect: 'ask' }),
  )
  expect(judged({ command: 'cat .env' }).evidence).toContainEqual(
    expect.objectContaining({ rule: 'shell.secrets', effect: 'ask' }),
  )
})

test('a forbidden command is blocked, and its words are not repeated', () => {
  const { effect, evidence } = judged({ command: 'rm -rf ~/private-stuff' })
  expect(effect).toBe('block')
  expect(JSON.stringify(evidence)).not.toContain('private-stuff')
})

test('a command that is missing or not a string is asked about', () => {
  expect(judged({}).effect).toBe('ask')
  expect(judged({ command: ['rm', '-rf', '/'] }).effect).toBe('ask')
})
