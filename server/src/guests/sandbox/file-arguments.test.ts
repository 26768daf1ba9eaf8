import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { isFileName } from '../../kernel/text/field-names.ts'
import { fileArguments } from './file-arguments.ts'
import { looksLikePath } from '../../kernel/text/path-shapes.ts'

const found = (args: Json, declared?: readonly string[]) =>
  fileArguments(args, declared)
    .found.filter(({ certainty, bound }) => certainty === 'path' && bound)
    .map(({ path, text }) => `/${path.join('/')}=${text}`)
    .sort()

describe('declared file arguments', () => {
  test('are those the pointers reach, with a star for array items', () => {
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

  test('are nothing else: an empty list means that the tool takes no files', () => {
    expect(found({ path: '/etc/passwd' }, [])).toEqual([])
    expect(found({ path: '/etc/passwd' }, ['/other'])).toEqual([])
  })
})

describe('file arguments declared by a pack', () => {
  const packed = (args: Json, declared?: readonly string[]) =>
    fileArguments(args, declared, undefined, ['/what'])
      .found.filter(({ certainty, bound }) => certainty === 'path' && bound)
      .map(({ text }) => text)

  test('are paths whatever their name, in addition to those found without it', () => {
    expect(found({ what: 'notes', path: '/etc/passwd' })).toEqual(['/path=/etc/passwd'])
    expect(packed({ what: 'notes', path: '/etc/passwd' })).toEqual(['notes', '/etc/passwd'])
  })

  test('are overridden by what the operator declared', () => {
    expect(packed({ what: 'notes', path: 'a' }, ['/path'])).toEqual(['a'])
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
  ])('are recognized by the name %s', (name) => expect(isFileName(name)).toBe(true))

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
  ])('are not recognized by the name %s', (name) => expect(isFileName(name)).toBe(false))

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
  ])('are recognized by the value %j', (text) => expect(looksLikePath(text)).toBe(true))

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
  ])('are not recognized by the value %j', (text) => expect(looksLikePath(text)).toBe(false))

  test('are found at any depth, in lists and in the names of fields', () => {
    const args = { a: { files: ['x', 'y'] }, changes: { '/etc/passwd': 'z' }, note: 'see ../x', note2: '../x' }
    expect(found(args)).toEqual(['/a/files/0=x', '/a/files/1=y', '/changes//etc/passwd=/etc/passwd', '/note2=../x'])
  })

  test('a URL of something else is not a file, unless it contains `..`', () => {
    expect(found({ source: 'https://example.org/a.png', file: 'data:text/plain;base64,eA==' })).toEqual([])
    expect(found({ source: 'https://../../etc/passwd' })).toEqual(['/source=https://../../etc/passwd'])
    expect(found({ uri: 'file:///etc/passwd' })).toEqual(['/uri=file:///etc/passwd'])
  })
})

const textsOf = (args: Json, ...certainties: readonly string[]) =>
  fileArguments(args, undefined)
    .found.filter(({ certainty }) => certainties.includes(certainty))
    .map(({ text }) => text)

describe('a path is found under any key', () => {
  const path = '/etc/passwd'
  test.each<[string, Json]>([
    ['alone', { target: path }],
    ['with extra slashes', { target: `//${path}` }],
    ['with a line break', { target: `${path}\n` }],
    ['in a list', { targets: ['a', path] }],
    ['in a comma list', { target: `a.txt,${path}` }],
    ['in a list of lines', { target: `${path}\n/etc/group` }],
    ['in a list of lines of a text', { content: `${path}\n/etc/group` }],
    ['after a semicolon', { target: `a;${path}` }],
    ['in a search path', { target: `usr:${path}` }],
    ['as the value of an option', { target: `--out=${path}` }],
    ['attached to an option', { args: `-I${path}` }],
    ['in a command', { command: `cat ${path}` }],
    ['in a command, after a redirection', { command: `echo x >${path}` }],
    ['in a command, in a subshell', { command: `echo $(cat ${path})` }],
    ['in quotes', { target: `"${path}"` }],
    ['in JSON', { options: JSON.stringify({ deep: [{ target: path }] }) }],
    ['in JSON inside JSON', { options: JSON.stringify({ a: JSON.stringify({ b: path }) }) }],
    ['as the name of a field', { changes: { [path]: 'x' } }],
  ])('%s', (_, args) => {
    const texts = textsOf(args, 'path').map((text) => text.trim().replace(/^"|"$|^\/+(?=\/)/g, ''))
    expect(texts).toContain(path)
  })

  test.each<[string, Json]>([
    ['a sentence', { purpose: `please look at the file ${path} for more about this` }],
    ['a mixed text', { query: `a ${path} 1 2 3` }],
  ])('in %s, where it is looked up before it counts', (_, args) => {
    expect(textsOf(args, 'mention', 'maybe')).toContain(path)
  })

  test('a single word is looked up, and may be a link', () => {
    expect(textsOf({ target: 'link', log: 'a,link2' }, 'maybe').sort()).toEqual(['a', 'a,link2', 'link', 'link2'])
  })
})

describe('no path is found in', () => {
  test.each<[string, Json]>([
    ['prose with slashes', { content: 'Either/or: see /etc/passwd, ~/notes and ../x. TCP/IP at 5 km/h.' }],
    ['code', { body: "import x from '../x'\n// note\nopen('/etc/passwd')\n" }],
    ['a script with a first line', { content: '#!/usr/bin/env node\nconsole.log(1)\n' }],
    ['a page', { html: '<p>a</p><a href="/x">b</a>' }],
    ['an address', { url: 'https://example.org/a/b?c=/d' }],
    ['a comment', { text: '// a comment' }],
    ['a change', { edits: [{ oldText: 'a/../b c', newText: '/etc/hosts and more' }] }],
    ['a mime type or a date', { text: 'text/plain', note: '2026/11/15' }],
  ])('%s', (_, args) => expect(textsOf(args, 'path')).toEqual([]))

  test('a picture, which is only looked up', () => {
    const picture = `/9j/4AAQSkZJRgABAQ${'Aa0+/b'.repeat(2000)}`
    expect(textsOf({ data: picture, image: picture }, 'path')).toEqual([])
    expect(textsOf({ picture: `/etc/${'x/'.repeat(40)}..` }, 'path')).toHaveLength(1)
  })
})

describe('laws', () => {
  const name = fc.stringMatching(/^[a-z0-9_]{1,8}$/)
  const absolute = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`)
  const key = fc.constantFrom('target', 'logfile', 'x', 'uri', 'input', 'value', 'args', 'command', 'path', 'pattern')
  const before = fc.constantFrom(
    '',
    ' ',
    'a,',
    'a;',
    'ab:',
    'x a:',
    'k=',
    '--o=',
    '-I',
    '"',
    "'",
    '\n',
    '\t',
    '[',
    '(',
    '>',
    '@',
    'a\n',
  )
  const after = fc.constantFrom('', ' ', ',b', ';b', ':b', '"', "'", '\n', ']', ')', '|b', '\nb')

  test('an absolute path is always found in a field that is not for text, whatever surrounds it', () => {
    fc.assert(
      fc.property(key, before, absolute, after, (field, head, path, tail) => {
        const texts = textsOf({ [field]: `${head}${path}${tail}` }, 'path', 'maybe', 'mention')
        expect(texts).toContain(path)
      }),
    )
  })

  test('a text that is a path with a drive letter is one path, and part of a longer text also without the letter', () => {
    const found = (text: string) => textsOf({ target: text }, 'path', 'maybe', 'mention')
    expect(found('a:/etc/x')).toEqual(['a:/etc/x'])
    expect(found('a:/etc/x,b')).toEqual(expect.arrayContaining(['a:/etc/x', '/etc/x']))
  })

  test('a path alone, or among others, is certain, under any key', () => {
    fc.assert(
      fc.property(
        fc.oneof(key, fc.constantFrom('content', 'body')),
        fc.array(absolute, { minLength: 1 }),
        (field, paths) => {
          expect(textsOf({ [field]: paths.join(',') }, 'path')).toEqual(expect.arrayContaining(paths))
        },
      ),
    )
  })

  test('words of sentences in a field for text are not paths', () => {
    const word = fc.constantFrom(
      'see',
      'and/or',
      '/etc/hosts',
      'the',
      '../up',
      'file',
      '~/x',
      'w/o',
      'then.',
      'Ünder',
      '5',
    )
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(textsOf({ content: `Look here ${words.join(' ')}` }, 'path', 'maybe', 'mention')).toEqual([])
      }),
    )
  })
})

test("a path in the answers to a tool's questions is found, even if the operator declared which arguments are paths", () => {
  const args = { to: '/ours/a', 'sluice/inputs': { responses: { where: { content: { place: '/etc/passwd' } } } } }
  const places = found(args, ['/to']).map((one) => one.split('=')[1])
  expect(places).toEqual(['/etc/passwd', '/ours/a'])
})
