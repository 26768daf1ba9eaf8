import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../read-config.ts'
import { GUESTS } from '../../src/main/guests.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const pages = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(ROOT, path)))
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const words = (path: string) =>
  textOf(path)
    .split(/\s+/)
    .filter((word) => word !== '').length

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
const anchorsIn = (text: string) => [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

type Block = { readonly page: string; readonly kind: string; readonly text: string }
const blocks: readonly Block[] = pages.flatMap((page) =>
  [...textOf(page).matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(([, kind = '', text = '']) => ({ page, kind, text })),
)
const named = (kind: string) =>
  blocks.filter((block) => block.kind === kind).map((block) => [block.page, block] as const)

describe('the documents', () => {
  test('link only to files and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, link = '']) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), path))
        if (!existsSync(join(ROOT, target))) return [`${page}: ${link}`]
        if (anchor === undefined || !target.endsWith('.md')) return []
        return anchorsIn(textOf(target)).includes(anchor) ? [] : [`${page}: ${link}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test('are reached from the index', () => {
    const index = textOf('docs/README.md')
    const docs = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
    expect(docs.filter((page) => !index.includes(`(${relative('docs', page)})`))).toEqual([])
    for (const { name } of GUESTS) expect(index).toContain(`guests/${name}/README.md`)
  })

  test('keep to what a reader has time for', () => {
    expect(words('README.md')).toBeLessThanOrEqual(900)
    for (const { name } of GUESTS) expect(textOf(`server/src/guests/${name}/README.md`)).toMatch(/^\*\*Without it\*\*/m)
  })

  test.each(named('yaml'))('%s shows a valid configuration', (_, { text }) => {
    const value = parse(text) as unknown
    expect(readConfig(value)).toMatchObject({ ok: true })
  })

  test.each(blocks.filter(({ kind }) => /^yaml ./.test(kind)).map((block) => [block.page, block] as const))(
    '%s shows YAML that can be read',
    (_, { text }) => {
      expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([])
    },
  )

  test.each(named('json'))('%s shows JSON that can be read', (_, { text }) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow()
  })

  test('name only commands and options that exist', () => {
    const help = new Map(
      readFileSync(join(ROOT, 'server/test/goldens/help.txt'), 'utf8')
        .split(/^\$ /m)
        .map((part) => [part.slice(0, part.indexOf('\n')).replace(/ --help$/, ''), part] as const),
    )
    const shared = help.get('sluice') ?? ''
    const inBlocks = blocks
      .filter(({ kind }) => ['sh', 'console', ''].includes(kind))
      .flatMap(({ page, text }) =>
        [...text.matchAll(/^(?:\$ )?(?:bin\/)?sluice ([^#\n]*)/gm)].map(([, rest = '']) => ({ page, rest })),
      )
    const inText = pages.flatMap((page) =>
      [...textOf(page).matchAll(/`(?:bin\/)?sluice ([a-z][^`\n]*)`/g)].map(([, rest = '']) => ({ page, rest })),
    )
    const wrong = [...inBlocks, ...inText].flatMap(({ page, rest }) => {
      const typed = rest.trim().split(/\s+/)
      const depth = [3, 2, 1].find((count) => help.has(`sluice ${typed.slice(0, count).join(' ')}`))
      if (depth === undefined) return [`${page}: sluice ${rest}`]
      const known = `sluice ${typed.slice(0, depth).join(' ')}`
      const isGroup = [...help.keys()].some((name) => name.startsWith(`${known} `))
      if (isGroup && /^[a-z]+$/.test(typed[depth] ?? '')) return [`${page}: sluice ${rest}`]
      const options = rest.replaceAll(/'[^']*'|"[^"]*"/g, '').match(/(?<=^|\s)--[a-z-]+/g) ?? []
      const about = `${help.get(known)}${shared}`
      return options.filter((option) => !about.includes(option)).map((option) => `${page}: sluice ${rest} (${option})`)
    })
    expect(wrong).toEqual([])
  })
})
