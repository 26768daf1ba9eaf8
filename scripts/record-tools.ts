/**
 * Records the tool lists of well-known servers, for the packs: `node scripts/record-tools.ts FOLDER…`, where each FOLDER has a
 * `node_modules` with some of them. A server is started with made-up credentials, and only its tools are listed. The names, the
 * schemas without their descriptions, the annotations, and the hash of the whole definition as the gate computes it are stored.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { definitionText } from '../server/src/kernel/catalogue/definition.ts'
import { sha256Hex } from '../server/src/adapters/keys/digest.ts'
import type { Json, JsonObject } from '../server/src/kernel/contract/json.ts'
import type { ToolDefinition } from '../server/src/kernel/contract/tool.ts'

type Server = {
  readonly package: string
  readonly program: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const SERVERS: Readonly<Record<string, Server>> = {
  filesystem: { package: '@modelcontextprotocol/server-filesystem', program: 'dist/index.js', args: [tmpdir()] },
  memory: { package: '@modelcontextprotocol/server-memory', program: 'dist/index.js' },
  playwright: { package: '@playwright/mcp', program: 'cli.js' },
  kubernetes: { package: 'mcp-server-kubernetes', program: 'dist/index.js' },
  sentry: {
    package: '@sentry/mcp-server',
    program: 'dist/index.js',
    args: ['--access-token=none', '--skills=inspect,seer,triage,project-management,docs'],
  },
  notion: { package: '@notionhq/notion-mcp-server', program: 'bin/cli.mjs', env: { NOTION_TOKEN: 'none' } },
  stripe: { package: '@stripe/mcp', program: 'dist/index.js', args: ['--tools=all', '--api-key=rk_test_none'] },
  gitlab: {
    package: '@modelcontextprotocol/server-gitlab',
    program: 'dist/index.js',
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: 'none' },
  },
  github: {
    package: '@modelcontextprotocol/server-github',
    program: 'dist/index.js',
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: 'none' },
  },
  slack: {
    package: '@modelcontextprotocol/server-slack',
    program: 'dist/index.js',
    env: { SLACK_BOT_TOKEN: 'none', SLACK_TEAM_ID: 'T0' },
  },
  postgres: {
    package: '@modelcontextprotocol/server-postgres',
    program: 'dist/index.js',
    args: ['postgresql://localhost/none'],
  },
  cloudflare: {
    package: '@cloudflare/mcp-server-cloudflare',
    program: 'dist/index.js',
    args: ['run', '0'.repeat(32)],
    env: { CLOUDFLARE_API_TOKEN: 'none' },
  },
  gmail: { package: '@gongrzhe/server-gmail-autoauth-mcp', program: 'dist/index.js' },
  'google-calendar': {
    package: '@cocal/google-calendar-mcp',
    program: 'build/index.js',
    env: { GOOGLE_OAUTH_CREDENTIALS: '.gmail-mcp/gcp-oauth.keys.json' },
  },
  git: { package: '@cyanheads/git-mcp-server', program: 'dist/index.js', env: { MCP_TRANSPORT_TYPE: 'stdio' } },
  docker: { package: 'mcp-server-docker', program: 'dist/index.js' },
  linear: { package: 'linear-mcp', program: 'build/index.js', env: { LINEAR_ACCESS_TOKEN: 'none' } },
  jira: {
    package: '@aashari/mcp-server-atlassian-jira',
    program: 'dist/index.js',
    env: {
      ATLASSIAN_SITE_NAME: 'none',
      ATLASSIAN_USER_EMAIL: 'none@example.com',
      ATLASSIAN_API_TOKEN: 'none',
      TRANSPORT_MODE: 'stdio',
    },
  },
  fetch: { package: 'mcp-fetch-server', program: 'dist/index.js' },
}

const ROOT = resolve(import.meta.dirname, '..')
const RECORDED = join(ROOT, 'server/src/guests/packs/test/recorded')
const WAIT_MS = 60_000
/** Parts of a schema that are prose. */
const TEXTS = new Set(['description', 'title', 'examples', 'default', '$comment'])

const home = mkdtempSync(join(tmpdir(), 'sluice-record-'))
mkdirSync(join(home, '.gmail-mcp'))
const keys = { installed: { client_id: 'none', client_secret: 'none', redirect_uris: ['http://localhost'] } }
writeFileSync(join(home, '.gmail-mcp/gcp-oauth.keys.json'), JSON.stringify(keys))
mkdirSync(RECORDED, { recursive: true })
for (const [pack, server] of Object.entries(SERVERS)) await record(pack, server)
rmSync(home, { recursive: true, force: true })
writeDefinitions()

async function record(pack: string, server: Server): Promise<void> {
  const folders = process.argv.slice(2).map((folder) => join(resolve(folder), 'node_modules', server.package))
  const folder = folders.find((one) => existsSync(join(one, server.program)))
  if (folder === undefined) return console.log(`${pack}: not installed`)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  const tools = await toolsOf(join(folder, server.program), server)
  if (tools === undefined) return console.log(`${pack}: no answer`)
  const kept = tools.map(trimmed).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const text = JSON.stringify({ package: server.package, version, tools: kept })
  writeFileSync(join(RECORDED, `${pack}.json`), `${text}\n`)
  console.log(`${pack}: ${kept.length} tools of ${server.package} ${version}`)
}

function toolsOf(program: string, { args = [], env = {} }: Server): Promise<readonly ToolDefinition[] | undefined> {
  return new Promise((done) => {
    const { PATH = '' } = process.env
    const child = spawn(process.execPath, [program, ...args], {
      cwd: home,
      env: { PATH, HOME: home, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const tools: ToolDefinition[] = []
    const end = (found: readonly ToolDefinition[] | undefined) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      done(found)
    }
    const timer = setTimeout(() => end(undefined), WAIT_MS)
    const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    child.stdin.on('error', () => undefined)
    child.on('exit', () => end(undefined))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = messageIn(line)
      if (message?.id === 1) {
        send({ method: 'notifications/initialized' })
        send({ id: 2, method: 'tools/list', params: {} })
      } else if (message?.id === 2) {
        tools.push(...(message.result?.tools ?? []))
        const cursor = message.result?.nextCursor
        if (cursor === undefined) end(message.result === undefined ? undefined : tools)
        else send({ id: 2, method: 'tools/list', params: { cursor } })
      }
    })
    const clientInfo = { name: 'record', version: '1' }
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  })
}

type Message = { id?: number; result?: { tools?: ToolDefinition[]; nextCursor?: string } }
function messageIn(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message
  } catch {
    return undefined
  }
}

/** Without the descriptions: their authors have the copyright. */
function trimmed(definition: ToolDefinition) {
  const text = definitionText(definition)
  if (text === undefined) throw new Error(`\`${definition.name}\` has no canonical form`)
  const { name, inputSchema, annotations = {} } = definition
  const hints = Object.fromEntries(Object.entries(annotations).filter(([key]) => key.endsWith('Hint')))
  return { name, hash: sha256Hex(text), inputSchema: withoutTexts(inputSchema), ...hints }
}

function withoutTexts(value: Json, isNames = false): Json {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item as Json))
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value as JsonObject).filter(([key]) => isNames || !TEXTS.has(key))
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutTexts(part, key === 'properties' && !isNames)]))
}

/** The hashes of all recorded lists, for the packs. Earlier hashes are kept, because several releases are in use at the same time. */
function writeDefinitions(): void {
  const packs = Object.keys(SERVERS).flatMap((pack) => {
    const file = join(RECORDED, `${pack}.json`)
    if (!existsSync(file)) return []
    const { tools } = JSON.parse(readFileSync(file, 'utf8')) as { tools: readonly { name: string; hash: string }[] }
    const lines = tools.map(({ name, hash }) => `    '${name}': ['${hash}'],`)
    return [`  '${pack}': {`, ...lines, '  },']
  })
  const text = [
    '/* Written by scripts/record-tools.ts: hashes of the definitions that real servers list. */',
    'export const DEFINITIONS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {',
    ...packs,
    '}',
    '',
  ].join('\n')
  writeFileSync(join(ROOT, 'server/src/guests/packs/data/definitions.ts'), text)
}
