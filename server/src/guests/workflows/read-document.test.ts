import { describe, expect, test } from 'vitest'
import { SOUND } from './documents.suite.ts'
import { readDocument, spellFault } from './read-document.ts'

const faultsOf = (text: string) => {
  const read = readDocument(text)
  return read.ok ? [] : read.faults
}
/** The document with one piece of text replaced, which must exist. */
function with_(from: string, to: string): string {
  if (!SOUND.includes(from)) throw new Error(`the document has no ${from}`)
  return SOUND.replace(from, to)
}
const lineOf = (text: string, piece: string) => text.slice(0, text.indexOf(piece)).split('\n').length

test('a valid document is parsed', () => {
  expect(readDocument(SOUND)).toMatchObject({ ok: true, document: { metadata: { name: 'clerk' } } })
})

describe('the messages that operators search for, each with its line', () => {
  const noSchemas = SOUND.replace(/ {2}schemas:[\s\S]*? {2}protocols:/, '  protocols:')
  test.each([
    ['workflow schema ref requires workflow.schemas to be defined', noSchemas, 'inputSchemaRef: request'],
    [
      'workflow protocol clerk.file.v1: input schema ref nope not found',
      with_('inputSchemaRef: request', 'inputSchemaRef: nope'),
      'inputSchemaRef: nope',
    ],
    [
      'workflow protocol clerk.file.v1, step 4: output schema ref nope not found',
      with_('outputSchemaRef: summary', 'outputSchemaRef: nope'),
      'outputSchemaRef: nope',
    ],
    [
      'workflow protocol clerk.file.v1: schema ref cannot be empty',
      with_('inputSchemaRef: request', 'inputSchemaRef: ""'),
      'inputSchemaRef: ""',
    ],
    [
      'workflow protocol clerk.file.v1: schema ref cannot be empty',
      with_('inputSchemaRef: request', 'inputSchemaRef: "  "'),
      'inputSchemaRef: "  "',
    ],
    [
      'workflow protocol clerk.file.v1: schema ref cannot be empty',
      with_('outputSchemaRef: summary', 'outputSchemaRef: ""'),
      'outputSchemaRef: ""',
    ],
    [
      'workflow schemas contains duplicate key request',
      with_('    summary:\n', '    request:\n'),
      'request:\n      type: object\n      required: [text]',
    ],
    [
      'workflow schema summary: invalid JSON Schema',
      with_('{ text: { type: string } }', '{ text: { type: strung } }'),
      'summary:\n',
    ],
    [
      'workflow schema summary: invalid JSON Schema',
      with_(
        '    summary:\n      type: object\n      required: [text]\n      properties: { text: { type: string } }',
        '    summary: 5',
      ),
      'summary: 5',
    ],
    [
      'workflow schema summary: invalid JSON Schema',
      with_('{ text: { type: string } }', '{ text: { $ref: "#/$defs/none" } }'),
      'summary:\n',
    ],
    ...['https://example.com/s.json', '#/request', '/request', '\\\\request', 'schemas/request'].map((ref) => [
      'external schema references are not supported; use workflow.schemas',
      with_('inputSchemaRef: request', `inputSchemaRef: "${ref}"`),
      'inputSchemaRef: "',
    ]),
    [
      'external schema references are not supported; use workflow.schemas',
      with_('{ text: { type: string } }', '{ text: { $ref: "other.json" } }'),
      'summary:\n',
    ],
    [
      'workflow protocol clerk.file.v1, step 5: unknown step type "plot"',
      with_('type: plan', 'type: plot'),
      'type: plot',
    ],
    [
      'workflow protocol clerk.file.v1, step 2.0: unknown step type "tol"',
      with_('            - type: tool', '            - type: tol'),
      'type: tol',
    ],
    [
      'workflow protocol clerk.file.v1: duplicate protocol id',
      `${SOUND}    - id: clerk.file.v1\n      trigger: { type: gateway.event }\n      steps: [{ type: plan, prompt: x }]\n`,
      'id: clerk.file.v1\n      trigger: { type: gateway.event }',
    ],
  ])('%s', (says, text, at) => {
    const faults = faultsOf(text)
    expect(faults.map((fault) => fault.says)).toContain(says)
    const fault = faults.find((one) => one.says === says)
    expect(fault?.line).toBe(lineOf(text, at))
  })
})

describe('other mistakes', () => {
  test.each([
    ['unknown field `polcy`', `${SOUND}polcy: 1\n`],
    ['unknown field `retrys`; perhaps `retries`', with_('retries: 0', 'retrys: 0')],
    ['unknown field `nam`; perhaps `name`', with_('  description:', '  nam: x\n  description:')],
    ['missing', with_('  name: clerk\n', '')],
    ['a room begins with `!`', with_('"!desk:test"', 'desk')],
    ['name at least one sender, or `*`', with_('allowedSenders: ["*"]', 'allowedSenders: []')],
    [
      'allowedRooms does not admit the room `!away:test`: this peer could never start anything',
      with_('roomId: "!office:test"\n      alias', 'roomId: "!away:test"\n      alias'),
    ],
    [
      'duplicate trusted peer: `@boss:test` in `!office:test` for `clerk.file.v1`',
      with_('[clerk.file.v1]', '[clerk.file.v1, clerk.file.v1]'),
    ],
    ['name at least one protocol', with_('[clerk.file.v1]', '[]')],
    ['a limit is 0 (unlimited) or more', with_('maxEventsPerMinute: 100', 'maxEventsPerMinute: -1')],
    ['retries are 0 to 10', with_('retries: 0', 'retries: 11')],
    ['retries are 0 to 10', with_('retries: 0', 'retries: -1')],
    ['a prefix has no white space', with_('prefix: CLERK_FILE', 'prefix: "CLERK FILE"')],
    ['a prefix is not empty', with_('prefix: CLERK_FILE', 'prefix: ""')],
    ['workflow protocol clerk.file.v1, step 1: unknown goto `nowhere`', with_('goto: done', 'goto: nowhere')],
    ['workflow protocol clerk.file.v1, step 1: goto `parsed` leads backward', with_('goto: done', 'goto: parsed')],
    [
      'workflow protocol clerk.file.v1, step 1: goto `parsed` leads backward',
      with_('default: loop', 'default: parsed'),
    ],
    ['workflow protocol clerk.file.v1, step 1: `>` needs a value', with_('value: 100, ', '')],
    [
      'workflow protocol clerk.file.v1, step 6: unknown targetAlias `chief`; messaging.allowedTargets does not name it',
      with_('targetAlias: boss', 'targetAlias: chief'),
    ],
    ['workflow protocol clerk.file.v1, step 7: another step is called `told`', with_('- id: done', '- id: told')],
    [
      'workflow protocol clerk.file.v1, step 4: unbalanced braces: `{{` without `}}`',
      with_('filed: {{output}}', 'filed: {{output'),
    ],
    ['workflow protocol clerk.file.v1, step 4: an empty token `{{}}`', with_('filed: {{output}}', 'filed: {{}}')],
    [
      'workflow protocol clerk.file.v1, step 4: step 4 does not come before step 4',
      with_('filed: {{output}}', 'filed: {{steps.step_4}}'),
    ],
    [
      'workflow protocol clerk.file.v1, step 4: no earlier step is called `later`',
      with_('filed: {{output}}', 'filed: {{state.later}}'),
    ],
    [
      'workflow protocol clerk.file.v1, step 4: `env` is neither a root of templates nor the variable of a loop',
      with_('filed: {{output}}', 'filed: {{env.HOME}}'),
    ],
    [
      'workflow protocol clerk.file.v1, step 4: a secret must be the whole text of a field in `argsTemplate`',
      with_('filed: {{output}}', 'filed: {{secret:hook}}'),
    ],
    [
      'workflow protocol clerk.file.v1, step 2.0: a secret must be the whole text of a field in `argsTemplate`',
      with_('"filed {{title}}"', '"filed {{secret:hook}}"'),
    ],
    [
      'workflow protocol clerk.file.v1, step 2.0: no entry of `secrets` is called `other`',
      with_('"filed {{title}}"', '"{{secret:other}}"'),
    ],
    [
      'workflow protocol clerk.file.v1, step 2.0: `note` is not a tool; write `server__tool`',
      with_('mcp.book.note', 'note'),
    ],
    [
      'workflow protocol clerk.file.v1, step 2.0: `messages__send_message` is not a tool; write `server__tool`',
      with_('mcp.book.note', 'messages__send_message'),
    ],
    ['`0 3 * *` is not a schedule: write five fields, or `@every 5m`', with_('0 3 * * *', '0 3 * *')],
    ['no entry of `secrets` is called `none`', with_('secret: hook', 'secret: none')],
    [
      'aliases are not supported; write the value in full',
      with_('description: Files requests', 'description: &a Files\n  template: *a'),
    ],
    ['the key `name` is repeated', with_('  name: clerk\n', '  name: clerk\n  name: clerk\n')],
    ['write `gosuto/v1`', with_('gosuto/v1', 'gosuto/v2')],
    ['give at least one step', SOUND.replace(/ {6}steps:\n[\s\S]*$/, '      steps: []\n')],
  ])('%s', (says, text) => {
    expect(faultsOf(text).map((fault) => fault.says)).toContain(says)
  })

  test('all are found, in text order, and none hides another', () => {
    const text = with_('retries: 0', 'retries: 99')
      .replace('goto: done', 'goto: nowhere')
      .replace('prefix: "filed "', 'prefx: "filed "')
      .replace('gosuto/v1', 'gosuto/v9')
    const faults = faultsOf(text)
    expect(faults).toHaveLength(4)
    expect(faults.map(({ line }) => line)).toEqual(faults.map(({ line }) => line).toSorted((a, b) => a - b))
    expect(spellFault('clerk.yaml', faults[0] ?? { line: 0, column: 0, path: '', says: '' })).toBe(
      'clerk.yaml:1:13: write `gosuto/v1` (at apiVersion)',
    )
  })

  test.each(['', '5', '[]', 'null', '- a', 'a: [', '\t', '{{x}}', '!!js/function x', `a: ${'['.repeat(500)}`])(
    '%j is not a document',
    (text) => {
      expect(readDocument(text)).toMatchObject({ ok: false })
    },
  )
})
