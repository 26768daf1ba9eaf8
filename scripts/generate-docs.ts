import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describedSchema, schemaText } from '../server/src/main/described-schema.ts'
import { GUEST_OF_KEY } from '../server/src/main/guest-of-key.ts'
import { GUESTS } from '../server/src/main/guests.ts'
import { allProblems } from '../server/src/kernel/registries.ts'
import type { ConfigSection } from '../server/src/kernel/contract/config.ts'
import { appWithoutGate } from './app-without-gate.ts'
import { clientRoutes, type Document } from './client-routes.ts'
import { GOLDENS } from './goldens.ts'

const root = resolve(import.meta.dirname, '..')

/** Every problem, in the order in which the codes were published. */
async function publishedProblems() {
  const codes = readFileSync(resolve(root, 'server/test/goldens/problems.txt'), 'utf8').split(/ \d+\n?/)
  const placeOf = ([code]: readonly [string, unknown]) => (codes.includes(code) ? codes.indexOf(code) : codes.length)
  return Object.entries(await allProblems(GUESTS)).toSorted((one, other) => placeOf(one) - placeOf(other))
}

async function problemCodes(): Promise<string> {
  const codes = (await publishedProblems()).map(([code]) => `  | '${code}'\n`)
  return `/** The codes of the gate's problems (docs/errors.md). Generated from the tables of the kernel and of the guests. */
export type PublishedCode =\n${codes.join('')}`
}

async function errors(): Promise<string> {
  const rows = (await publishedProblems()).map(
    ([code, { http, retry, says, do: remedy }]) => `| \`${code}\` | ${http} | ${retry} | ${says} | ${remedy} |`,
  )
  const head = [
    '# Problems',
    '',
    'Generated from `server/src/kernel/contract/problems.ts`. Codes are never renamed or reused.',
    '',
  ]
  return [
    ...head,
    '| code | HTTP | try again | what is wrong | what to do |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

async function openapi(): Promise<string> {
  const app = appWithoutGate()
  const answer = await app.request('/openapi.json', undefined, { local: true, remote: '' })
  if (!answer.ok) throw new Error(await answer.text())
  return `${JSON.stringify(await answer.json(), null, 2)}\n`
}

/** Every key of the configuration, a table for each section. */
function configReference(): string {
  const { keys } = describedSchema()
  const lines = [
    '# Every key of `sluice.yaml`',
    '',
    'Generated from the schemas of the sections. `*` is a name of your choice, `[]` the items of a list. [configure](operate/configure.md) explains how the file is read.',
  ]
  let section = ''
  for (const { path, type, default: usual, description } of keys) {
    const [top = ''] = path.split(/[.[]/)
    if (top !== section) lines.push('', `## ${top}`, '', '| key | is | default | what it is for |', '|---|---|---|---|')
    section = top
    lines.push(
      `| \`${path}\` | ${cell(type)} | ${usual === undefined ? '' : cell(JSON.stringify(usual))} | ${description ?? ''} |`,
    )
  }
  return `${lines.join('\n')}\n`
}

const LONGEST_CELL = 60
function cell(text: string): string {
  const short = text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text
  return `\`${short.replaceAll('|', '\\|')}\``
}

/**
 * Which guest reads which key of `sluice.yaml`. A build without a guest says which one is missing, so the keys of guests that are not
 * here stay.
 */
async function guestOfKey(): Promise<string> {
  const found = await Promise.all(
    GUESTS.map(async ({ name, section }) => keysOf((await section?.()) ?? {}).map((key) => [key, name] as const)),
  )
  const others = Object.entries(GUEST_OF_KEY).filter(([, guest]) => GUESTS.every(({ name }) => name !== guest))
  const lines = [...found.flat(), ...others]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, guest]) => `  ${/^\w+$/.test(key) ? key : `'${key}'`}: '${guest}',`)
  return [
    '/** Keys of `sluice.yaml` and the guests that read them, also guests that a build leaves out. Written by `npm run generate`. */',
    'export const GUEST_OF_KEY: Readonly<Record<string, string>> = {',
    ...lines,
    '}',
    '',
  ].join('\n')
}

function keysOf({ top = {}, channels = {}, server = {}, tool = {}, kinds = [] }: ConfigSection): string[] {
  const below = (path: string, keys: object) => Object.keys(keys).map((key) => `${path}${key}`)
  return [
    ...below('', top),
    ...below('channels.', channels),
    ...kinds.map(({ key }) => `servers.*.${key}`),
    ...below('servers.*.', server),
    ...below('servers.*.tools.*.', tool),
  ]
}

/** Everything that is derived from the code and committed for people and editors. */
const FILES: Record<string, (current: string) => string | Promise<string>> = {
  'docs/errors.md': errors,
  'server/src/client/problem-codes.ts': problemCodes,
  'docs/openapi.json': openapi,
  'server/src/client/routes.ts': async () => clientRoutes(JSON.parse(await openapi()) as Document),
  'docs/sluice.schema.json': schemaText,
  'docs/configuration-reference.md': configReference,
  'server/src/main/guest-of-key.ts': guestOfKey,
}

for (const [name, make] of Object.entries(GOLDENS)) FILES[`server/test/goldens/${name}`] = make

for (const { generated } of GUESTS) Object.assign(FILES, await generated?.())

const isCheck = process.argv.includes('--check')
const stale: string[] = []
for (const [file, make] of Object.entries(FILES)) {
  const path = resolve(root, file)
  const current = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const text = await make(current)
  if (current === text) continue
  stale.push(file)
  if (!isCheck) writeFileSync(path, text)
}
if (isCheck && stale.length > 0) {
  console.error(`stale: ${stale.join(', ')}; run \`npm run generate\``)
  process.exit(1)
}
