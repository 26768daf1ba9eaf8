import { Environment } from '@marcbachmann/cel-js'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../contract/json.ts'
import { callFrom, type DescribedCall } from '../described-call.ts'
import { checkCondition, evaluate } from './condition.ts'
import { scopeOf } from './scope.ts'
import { typeOfSchema } from './type.ts'
import { Failure } from './value.ts'

const ARGS = {
  n: 5,
  text: 'Hello',
  list: [1, 2, 3],
  mixed: [1, 'a'],
  words: ['a', 'b'],
  empty: [],
  deep: { on: true, key: null },
  wide: Array.from({ length: 300 }, (_, at) => at),
}
const CALL: DescribedCall = {
  tool: 'mail__send',
  effects: ['read', 'external'],
  risk: 'high',
  tags: ['production'],
  caller: 'agent:a',
  role: 'agent',
  user: 'ann',
  args: ARGS,
  thread: 't1',
  labels: ['mail'],
  now: 1_763_186_400_000, // Saturday, 2025-11-15 06:00 UTC
}

function ask(text: string, changes: Partial<DescribedCall> = {}): boolean | string {
  const checked = checkCondition(text)
  if (!checked.ok) return checked.faults.map(({ at, says }) => `${at}: ${says}`).join(', ')
  const { call, facts } = callFrom({ ...CALL, ...changes })
  const answer = evaluate(checked.value, scopeOf(call, facts))
  return answer instanceof Failure ? `failed: ${answer.reason}` : answer
}

describe('a condition', () => {
  test.each([
    ['args.n == 5', true],
    ['args.n == 5.0', true],
    ['args.n != 4', true],
    ['args.n >= 5 && args.n < 6', true],
    ['args.n > -1', true],
    ['5 in [1, 5]', true],
    ['args.n in [1, 5]', true],
    ['2 in args.list', true],
    ['4 in args.list', false],
    ['"a" in args.mixed', true],
    ['"n" in args', true],
    ['"constructor" in args', false],
    ['has(args.n)', true],
    ['has(args.constructor)', false],
    ['has(args.deep.on) && args.deep.on', true],
    ['has(args.deep.off)', false],
    ['args.deep.key == null', true],
    ['args.n == null', false],
    ['args.list == [1, 2, 3]', true],
    ['args.list == [1, 2]', false],
    ['args.list[0] == 1', true],
    ['args["n"] == 5', true],
    ['args.text.startsWith("He") && args.text.endsWith("lo") && args.text.contains("ell")', true],
    ['args.text.lowerAscii() == "hello"', true],
    ['args.text.upperAscii() == "HELLO"', true],
    ['"É".lowerAscii() == "É"', true],
    ['" x ".trim() == "x"', true],
    ['args.text.glob("H*o")', true],
    ['args.text.glob("H?o")', false],
    ['size(args.text) == 5 && args.list.size() == 3 && size(args.deep) == 2', true],
    ['size("😀") == 1', true],
    ['args.list.exists(x, x > 2)', true],
    ['args.list.all(x, x > 2)', false],
    ['args.empty.exists(x, x > 2)', false],
    ['args.empty.all(x, x > 2)', true],
    ['args.list.exists(x, args.words.exists(y, y == "b" && x == 3))', true],
    ['args.n > 4 ? args.text == "Hello" : args.missing == 1', true],
    ['args.n + 1 == 6 && args.n - 1 == 4', true],
    ['"/home/" + caller.user == "/home/ann"', true],
    ['true || args.missing == 1', true],
    ['false && args.missing == 1', false],
    ['!(args.n == 5)', false],
    ['tool.id == "mail__send" && tool.name == "send" && tool.server == "mail" && tool.risk == "high"', true],
    ['"external" in tool.effects && "production" in tool.tags', true],
    ['caller.id == "agent:a" && caller.role == "agent" && caller.kind == caller.role', true],
    ['session.id == "t1" && !has(session.lane)', true],
    ['labels.exists(label, label == "mail")', true],
    ['time.date == "2025-11-15" && time.clock == "06:00" && time.weekday == 6 && time.hour < 9', true],
    ['time.now > 1700000000000', true],
  ])('%s is %s', (text, expected) => {
    expect(ask(text)).toBe(expected)
  })

  test.each([
    ['args.missing == 1', '`args.missing` is missing'],
    ['args.missing == 1 || true', '`args.missing` is missing'],
    ['args.missing == 1 && false', '`args.missing` is missing'],
    ['args.constructor == 1', '`args.constructor` is missing'],
    ['args.__proto__ == 1', '`args.__proto__` is missing'],
    ['args.n.x == 1', '`args.n` is not an object'],
    ['has(args.n.x)', '`args.n` is not an object'],
    ['has(args.gone.x)', '`args.gone` is missing'],
    ['args.text == 5', '`args.text == 5` compares values of different types'],
    ['args.n == "5"', '`args.n == "5"` compares values of different types'],
    ['args.n in ["5"]', '`args.n in ["5"]` compares values of different types'],
    ['"c" in args.mixed', '`"c" in args.mixed` compares values of different types'],
    ['args.text > 5', '`args.text > 5` compares values of different types'],
    ['args.n.startsWith("5")', '`args.n` is not a string'],
    ['args.list[3] == 1', '`args.list[3]` is missing'],
    ['args.list[0.5] == 1', '`args.list[0.5]` is missing'],
    ['args[0] == 1', '`args[0]` is not an element of a list'],
    ['args.text.exists(x, x == "a")', '`args.text` is not a list'],
    ['args.mixed.exists(x, x == "a")', '`x == "a"` compares values of different types'],
    ['!args.n', '`args.n` is not true or false'],
    ['args.n && true', '`args.n` is not true or false'],
    ['args.n', 'the condition is neither true nor false'],
    ['size(args.n) == 1', '`args.n` has no size'],
    ['session.lane == "fast"', '`session.lane` is missing'],
    ['args.wide.all(x, args.wide.all(y, y >= 0))', 'it looks at more than 10000 list elements'],
  ])('%s has no result', (text, reason) => {
    expect(ask(text)).toBe(`failed: ${reason}`)
  })

  test.each([
    ['{"a": 1} == args', '0: `{"a": 1}` is not part of a condition'],
    ['args.n * 2 == 4', '0: `*` is not part of a condition'],
    ['1u == 1', '0: `1u` is not a JSON number or string'],
    ['b"x" == args.n', '0: `b"x"` is not a JSON number or string'],
    ['9007199254740993 == args.n', '0: `9007199254740993` is not a JSON number or string'],
    ['-args.n == 1', '0: `-args.n` is not a number'],
    ['[1, "a"] == args.list', '0: the list mixes types of values'],
    ['"a" in "abc"', '0: `"abc"` is text, not a list'],
    ['timestamp("2025-01-01T00:00:00Z") == args.n', '0: unknown function `timestamp`'],
    ['cel.bind(x, 1, x == 1)', '0: unknown function `bind`'],
    ['args.list.map(x, x)', '0: unknown function `map`'],
    ['args.text.glob(args.text)', '15: `glob` needs its pattern in quotes'],
    [`args.text.glob("${'?'.repeat(129)}")`, '15: a pattern has at most 128 characters'],
    ['has(args)', '0: `has` takes one key'],
    ['args.list.exists(x)', '0: `exists` has the wrong number of arguments'],
    ['args.list.exists(1, true)', '17: a name is expected here'],
    ['tool.effects.name == "x"', '0: `tool.effects` is a list and has no `name`'],
    ['"reed" in tool.effects', '0: `"reed"` is not a known value of `tool.effects`'],
    ['caller.role != "robot"', '0: `"robot"` is not a known value of `caller.role`'],
    ['tool.risk in ["high", "extreme"]', '0: `"extreme"` is not a known value of `tool.risk`'],
    ['time.hour == "9"', '0: `time.hour == "9"` compares a number with text'],
    ['size(5) == 1', '0: `5` is a number and has no size'],
    ['"a" - "b" == "c"', '0: `"a" - "b"` compares text with text'],
  ])('%s is rejected before any call', (text, fault) => {
    expect(ask(text)).toBe(fault)
  })

  test('unknown labels give no result, an empty list of labels does', () => {
    const { labels: _known, ...unlabelled } = CALL
    const { call, facts } = callFrom(unlabelled)
    const checked = checkCondition('"mail" in labels')
    expect(checked.ok && evaluate(checked.value, scopeOf(call, facts))).toBeInstanceOf(Failure)
    expect(ask('"mail" in labels', { labels: [] })).toBe(false)
  })

  test('values nested deeper than the stack give no result', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    const checked = checkCondition('args.a == args.b')
    const { call, facts } = callFrom(CALL)
    const scope = scopeOf({ ...call, canonical_args: `{"a":${deep},"b":${deep}}` }, facts)
    expect(checked.ok && evaluate(checked.value, scope)).toBeInstanceOf(Failure)
  })

  test('types promised by a schema are checked again in every call', () => {
    const schema = typeOfSchema({ type: 'object', properties: { on: { type: 'boolean' } } })
    const checked = checkCondition('args.on && true', schema)
    const { call, facts } = callFrom({ ...CALL, args: { on: 'yes' } })
    expect(checked.ok && evaluate(checked.value, scopeOf(call, facts))).toBeInstanceOf(Failure)
  })
})

/** Expressions over small values, some without a result. */
const expressions = fc.letrec<{ truth: string; value: string }>((tie) => ({
  value: fc.oneof(
    fc.constantFrom('args.n', 'args.text', 'args.flag', 'args.gone', 'args.deep.n', 'args.list[0]', 'size(args.list)'),
    fc.constantFrom('0', '1', '2', '-1', '1.5', '"a"', '"ab"', 'true', 'null'),
  ),
  truth: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('true', 'false', 'args.flag', 'has(args.n)', 'has(args.gone)', '"n" in args'),
    fc
      .tuple(tie('value'), fc.constantFrom('==', '!=', '<', '<=', '>', '>='), tie('value'))
      .map(([left, op, right]) => `${left} ${op} ${right}`),
    tie('value').map((value) => `${value} in args.list`),
    tie('value').map((value) => `${value} in [1, 2]`),
    fc.constantFrom('startsWith', 'endsWith', 'contains').map((name) => `args.text.${name}("a")`),
    tie('truth').map((inner) => `!(${inner})`),
    fc.tuple(tie('truth'), fc.constantFrom('&&', '||'), tie('truth')).map(([a, op, b]) => `(${a}) ${op} (${b})`),
    fc.tuple(fc.constantFrom('exists', 'all'), tie('value')).map(([all, v]) => `args.list.${all}(x, x == ${v})`),
    fc.tuple(tie('truth'), tie('truth'), tie('truth')).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
  ),
})).truth

const argsOf = fc.record(
  {
    n: fc.constantFrom<Json>(0, 1, 2, 'a'),
    text: fc.constantFrom<Json>('a', 'ab', 'b', 1),
    flag: fc.constantFrom<Json>(true, false, 'true'),
    list: fc.constantFrom<Json>([], [1], [0, 2], ['a', 'b']),
    deep: fc.constantFrom<Json>({ n: 1 }, {}),
  },
  { requiredKeys: [] },
)

/** Converts whole numbers to the library's integers, so that its operators are defined for them. */
const withIntegers = (value: Json): unknown => {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(withIntegers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withIntegers(inner)]))
}

function answerOf(work: () => unknown): unknown {
  try {
    return work()
  } catch {
    return undefined
  }
}

describe('conditions as a whole', () => {
  test('agree with CEL wherever both have a result', () => {
    const cel = new Environment({ homogeneousAggregateLiterals: false }).registerVariable('args', 'dyn')
    let answered = 0
    fc.assert(
      fc.property(expressions, argsOf, (text, args) => {
        const answer = ask(text, { args })
        const theirs = answerOf(() => cel.evaluate(text, { args: withIntegers(args) }))
        if (typeof answer !== 'boolean' || typeof theirs !== 'boolean') return
        answered += 1
        expect({ text, args, answer }).toEqual({ text, args, answer: theirs })
      }),
      { numRuns: 4000 },
    )
    expect(answered).toBeGreaterThan(800)
  })

  test('are checked and evaluated without an exception, whatever the text', () => {
    const pieces = fc.constantFrom(
      ...'args tool caller labels time session . [ ] ( ) { } , : ? && || ! == < + - * in has( size( .exists( .all( x'.split(
        ' ',
      ),
      ...'"a" 1 1.5 null true .n .list .startsWith( .glob( .matches( b"a" 1u "'.split(' '),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), fc.string(), fc.json(), (list, noise, json) => {
        for (const text of [list.join(' '), list.join(''), noise]) {
          const answer = ask(text, { args: JSON.parse(json) as Json })
          expect(['boolean', 'string']).toContain(typeof answer)
        }
      }),
      { numRuns: 1500 },
    )
  })
})
