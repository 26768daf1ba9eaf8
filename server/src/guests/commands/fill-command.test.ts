import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ToolKeys } from '../../kernel/contract/tool-settings.ts'
import { commandSchema } from './command-settings.ts'
import { fillCommand } from './fill-command.ts'

const Command = commandSchema(ToolKeys)
const command = (settings: object) => Command.parse({ description: 'a command', ...settings })
const argsOf = (settings: object, given: Record<string, unknown>) => {
  const filled = fillCommand(command(settings), given as never)
  return filled.ok ? filled.args : filled.says
}
const text = { params: { a: {}, b: { required: false } } }

describe('filling a command', () => {
  test('a value is one argument, whatever a shell would make of it', () =>
    expect(argsOf({ run: ['p', '{a}', '--x={b}'], ...text }, { a: '$(id) `id`; rm -rf /', b: "'a b'\n" })).toEqual([
      '$(id) `id`; rm -rf /',
      "--x='a b'\n",
    ]))

  test('an omitted value omits its argument, or its whole group', () => {
    expect(argsOf({ run: ['p', '{a}', '{b}'], ...text }, { a: 'x' })).toEqual(['x'])
    expect(argsOf({ run: ['p', '{a}', ['-b', '{b}']], ...text }, { a: 'x' })).toEqual(['x'])
    expect(argsOf({ run: ['p', '{a}', ['-b', '{b}']], ...text }, { a: 'x', b: 'y' })).toEqual(['x', '-b', 'y'])
  })

  test('a default is used for an omitted value', () =>
    expect(argsOf({ run: ['p', '-n{n}'], params: { n: { type: 'integer', default: 10 } } }, {})).toEqual(['-n10']))

  test('a condition adds its group and nothing of its own', () => {
    const flag = { run: ['p', ['--all', '{?all}']], params: { all: { type: 'boolean', required: false } } }
    expect(argsOf(flag, { all: true })).toEqual(['--all'])
    expect(argsOf(flag, { all: false })).toEqual([])
    expect(argsOf(flag, {})).toEqual([])
  })

  test('a list is one argument for each item', () => {
    const list = { run: ['p', '--', '{f}'], params: { f: { type: 'array', items: {} } } }
    expect(argsOf(list, { f: ['a b', '-c', ''] })).toEqual(['--', 'a b', '-c', ''])
  })

  test('braces can be escaped', () =>
    expect(argsOf({ run: ['p', '{{print $1}}', '{{{a}}}'], params: { a: {} } }, { a: 'x' })).toEqual([
      '{print $1}',
      '{x}',
    ]))

  test('a leading dash is rejected before `--`, accepted after it, and if the operator allows it', () => {
    const refusal = '/a must not start with `-`: the program could read it as an option'
    const params = { a: {} }
    expect(argsOf({ run: ['p', '{a}'], params }, { a: '--output=/etc/passwd' })).toBe(refusal)
    expect(argsOf({ run: ['p', ['-x', '{a}']], params }, { a: '-y' })).toBe(refusal)
    expect(argsOf({ run: ['p', '{a}', '--', 'end'], params }, { a: '-y' })).toBe(refusal)
    expect(
      argsOf({ run: ['p', '{a}{b}'], params: { a: { minLength: 0, dash: true }, b: {} } }, { a: '', b: '-y' }),
    ).toBe(refusal)
    expect(argsOf({ run: ['p', '--', '{a}'], params }, { a: '-y' })).toEqual(['--', '-y'])
    expect(argsOf({ run: ['p', ['--', '{a}']], params }, { a: '-y' })).toEqual(['--', '-y'])
    expect(argsOf({ run: ['p', '--a={a}'], params }, { a: '-y' })).toEqual(['--a=-y'])
    expect(argsOf({ run: ['p', '{a}'], params: { a: { type: 'integer', dash: true } } }, { a: -1 })).toEqual(['-1'])
  })

  test('a `--` given as a value does not end the options', () => {
    const params = { a: { dash: true }, b: {} }
    expect(argsOf({ run: ['p', '{a}', '{b}'], params }, { a: '--', b: '-y' })).toContain('/b must not start with')
  })

  test('LAW: there are as many arguments as templates, each contains its value, and no value starts an option', () => {
    const settings = command({ run: ['p', 'x', '{a}', '--b={b}', '--', '{b}'], ...text })
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('-', '--', '-rf', '--x=y', '{b}', '{{', '\0'))
    fc.assert(
      fc.property(value, value, (a, b) => {
        const filled = fillCommand(settings, { a, b })
        if (filled.ok) {
          expect(filled.args).toEqual(['x', a, `--b=${b}`, '--', b])
          expect(filled.args[1]?.startsWith('-')).toBe(false)
        } else expect(a.startsWith('-') || `${a}${b}`.includes('\0')).toBe(true)
      }),
    )
  })
})

describe('the settings of a command', () => {
  const faults: [object, string][] = [
    [{ run: ['p', '{x}'] }, '`x` is not in `params`'],
    [{ run: ['p'], params: { a: {} } }, 'this parameter is never used: write `{a}` in `run`'],
    [{ run: ['{a}'], params: { a: {} } }, 'the program itself cannot be a parameter'],
    [{ run: [['p']] }, 'the program itself cannot be a parameter'],
    [{ run: ['p', '{print $1}'] }, 'a placeholder is `{name}`; write `{{` and `}}` for braces'],
    [{ run: ['p', '{?a}'], params: { a: {} } }, '`{?a}` must be a separate argument, and its parameter a boolean'],
    [
      { run: ['p', 'x{a}'], params: { a: { type: 'array', items: {} } } },
      '`{a}` is a list, so it must be a separate argument',
    ],
    [
      { run: ['p', '{a}'], params: { a: { type: 'array' } } },
      '`type: array` requires `items`, and `items` requires `type: array`',
    ],
    [{ run: ['p', '{a}'], params: { a: { pattern: '(' } } }, 'not a regular expression'],
  ]
  test.each(faults)('%j: %s', (settings, says) => {
    const read = Command.safeParse({ description: 'd', ...settings })
    expect(read.error?.issues.map((issue) => issue.message)).toContain(says)
  })
})
