import { describe, expect, test } from 'vitest'
import type { Json } from '../../../contract/json.ts'
import { fileArguments, isFileName, looksLikePath } from './file-arguments.ts'

const found = (args: Json, declared?: readonly string[]) =>
  fileArguments(args, declared)
    .map(({ path, text }) => `/${path.join('/')}=${text}`)
    .sort()

describe('declared file arguments', () => {
  test('are those the pointers reach, items of arrays by a star', () => {
    const args = { edits: [{ path: 'a', text: '/etc' }, { path: 'b' }], to: 'c', 'x/y': 'd' }
    expect(found(args, ['/edits/*/path', '/x~1y'])).toEqual(['/edits/0/path=a', '/edits/1/path=b', '/x/y=d'])
  })

  test('are all the texts below a pointer that reaches a list or an object', () => {
    expect(found({ paths: ['a', ['b'], { deep: 'c' }, 7, null] }, ['/paths'])).toEqual([
      '/paths/0=a',
      '/paths/1/0=b',
      '/paths/2/deep=c',
      '/paths/3=7',
    ])
  })

  test('are nothing else: an empty list says that the tool takes no files', () => {
    expect(found({ path: '/etc/passwd' }, [])).toEqual([])
    expect(found({ path: '/etc/passwd' }, ['/other'])).toEqual([])
  })
})

describe('undeclared file arguments', () => {
  test.each([
    'path',
    'file',
    'filePath',
    'file_path',
    'filename',
    'fileName',
    'file_name',
    'paths',
    'files',
    'directory',
    'directories',
    'outputDir',
    'source',
    'destination',
    'src',
    'dest',
    'path2',
    'source_1',
    'PATH',
    'folder-name',
  ])('are recognised by the name %s', (name) => expect(isFileName(name)).toBe(true))

  test.each([
    'file_id',
    'fileType',
    'profile',
    'source_language',
    'content',
    'name',
    'pathology',
    'query',
    'format',
    'xpathy',
  ])('are not recognised by the name %s', (name) => expect(isFileName(name)).toBe(false))

  test.each([
    '/etc/passwd',
    '/',
    '~',
    '~/x',
    '../x',
    'a/../b',
    '..',
    '..\\x',
    'C:\\x',
    '\\\\host\\x',
    'file:///x',
    'FILE:/x',
    ' /etc/passwd',
    '/etc/passwd\n',
    '$HOME/x',
    '${HOME}',
    '%2e%2e/x',
    '.%2e/x',
    '%252e%252e/x',
    '／etc',
    '//host/x',
  ])('are recognised by the value %j', (text) => expect(looksLikePath(text)).toBe(true))

  test.each([
    'hello',
    'a/b',
    'and/or',
    '// a comment',
    '/* a comment */',
    'https://example.org/x',
    '1/2',
    'wait ... what',
    '/usr/bin/env node\nconsole.log(1)',
    "import x from '../x'",
    '',
  ])('are not recognised by the value %j', (text) => expect(looksLikePath(text)).toBe(false))

  test('are found at any depth, in lists and in the names of fields', () => {
    const args = { a: { files: ['x', 'y'] }, changes: { '/etc/passwd': 'z' }, note: 'see ../x', note2: '../x' }
    expect(found(args)).toEqual(['/a/files/0=x', '/a/files/1=y', '/changes//etc/passwd=/etc/passwd', '/note2=../x'])
  })

  test('an address of something else is no file, unless it climbs', () => {
    expect(found({ source: 'https://example.org/a.png', file: 'data:text/plain;base64,eA==' })).toEqual([])
    expect(found({ source: 'https://../../etc/passwd' })).toEqual(['/source=https://../../etc/passwd'])
    expect(found({ uri: 'file:///etc/passwd' })).toEqual(['/uri=file:///etc/passwd'])
  })
})

test('a path among the answers to a tool`s questions is found, also where the operator declared which arguments are paths', () => {
  const args = { to: '/ours/a', 'sluice/inputs': { responses: { where: { content: { place: '/etc/passwd' } } } } }
  const places = fileArguments(args, ['/to']).map(({ text }) => text)
  expect(places).toEqual(['/ours/a', '/etc/passwd'])
})
