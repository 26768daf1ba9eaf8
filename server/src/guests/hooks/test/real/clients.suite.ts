import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Exact versions; installed once into a cache folder, because together they are several hundred megabytes. */
const VERSIONS = {
  '@openai/codex': '0.166.0',
  '@google/gemini-cli': '0.61.0',
  '@qwen-code/qwen-code': '0.24.4',
  'opencode-ai': '1.18.33',
} as const

export const PACKAGES = {
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  qwen: '@qwen-code/qwen-code',
  opencode: 'opencode-ai',
} as const

export const CACHE =
  process.env['SLUICE_HOOK_CLIENTS'] ??
  resolve(import.meta.dirname, '../../../../../../node_modules/.cache/sluice-hook-clients')

export function installClients(): void {
  mkdirSync(CACHE, { recursive: true })
  const text = JSON.stringify({ name: 'hook-clients', private: true, dependencies: VERSIONS })
  if (existsSync(join(CACHE, 'node_modules/.bin/codex')) && existsSync(join(CACHE, 'package.json'))) return
  writeFileSync(join(CACHE, 'package.json'), text)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: CACHE,
    stdio: ['ignore', 2, 2],
  })
}

export type Place = { readonly home: string; readonly work: string; readonly model: string }
export type Ran = { readonly code: number | null; readonly out: string; readonly ms: number }

export type RealClient = {
  readonly client: 'codex' | 'gemini' | 'qwen' | 'opencode'
  /** Writes its settings, before the hooks are installed. */
  prepare(place: Place): void
  readonly words: (prompt: string) => readonly string[]
  readonly env: (place: Place) => Readonly<Record<string, string>>
  /** How its model asks for a shell command. */
  shell(command: string): { readonly tool: string; readonly args: object }
  /** The same for reading a file; a client without such a tool reads by its shell. */
  read(file: string): { readonly tool: string; readonly args: object }
}

const bin = (name: string) => join(CACHE, 'node_modules/.bin', name)
/** Its launcher needs an install script; the program is in the package of the platform. */
const opencodeProgram = join(CACHE, `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`)

function write(file: string, value: object | string): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`)
}

const codex: RealClient = {
  client: 'codex',
  prepare: ({ home, model }) =>
    write(
      join(home, '.codex/config.toml'),
      `model = "gpt-5.5"
model_provider = "local"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
[analytics]
enabled = false
[features]
plugins = false
apps = false
remote_plugin = false
plugin_sharing = false
plugin_discovery_prefetch = false
skill_search = false
[model_providers.local]
name = "local"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"
`,
    ),
  words: (prompt) => [
    bin('codex'),
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-hook-trust',
    prompt,
  ],
  env: ({ home }) => ({ CODEX_HOME: join(home, '.codex'), LOCAL_KEY: 'x' }),
  shell: (command) => ({ tool: 'exec_command', args: { cmd: command } }),
  read: (file) => ({ tool: 'exec_command', args: { cmd: `cat ${file}` } }),
}

const gemini: RealClient = {
  client: 'gemini',
  prepare: ({ home }) =>
    write(join(home, '.gemini/settings.json'), {
      security: { auth: { selectedType: 'gemini-api-key' } },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
    }),
  words: (prompt) => [
    bin('gemini'),
    '-p',
    prompt,
    '-m',
    'gemini-2.5-flash',
    '--approval-mode',
    'yolo',
    '--skip-trust',
    '-o',
    'stream-json',
  ],
  env: ({ model }) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: model }),
  shell: (command) => ({ tool: 'run_shell_command', args: { command, description: 'runs it' } }),
  read: (file) => ({ tool: 'read_file', args: { file_path: file } }),
}

const qwen: RealClient = {
  client: 'qwen',
  prepare: ({ home }) => write(join(home, '.qwen/settings.json'), { general: { disableAutoUpdate: true } }),
  words: (prompt) => [bin('qwen'), prompt, '--auth-type', 'openai', '--approval-mode', 'yolo', '-o', 'stream-json'],
  env: ({ model }) => ({
    OPENAI_API_KEY: 'x',
    OPENAI_BASE_URL: `${model}/v1`,
    OPENAI_MODEL: 'scripted',
    QWEN_TELEMETRY_ENABLED: '0',
    QWEN_USAGE_STATISTICS_ENABLED: '0',
  }),
  shell: (command) => ({ tool: 'run_shell_command', args: { command, is_background: false, description: 'runs it' } }),
  read: (file) => ({ tool: 'read_file', args: { file_path: file, absolute_path: file } }),
}

const opencode: RealClient = {
  client: 'opencode',
  prepare({ home, model }) {
    const folder = join(home, '.config/opencode')
    write(join(folder, 'opencode.json'), {
      $schema: 'https://opencode.ai/config.json',
      model: 'local/scripted',
      small_model: 'local/scripted',
      provider: {
        local: {
          npm: '@ai-sdk/openai-compatible',
          name: 'local',
          options: { baseURL: `${model}/v1`, apiKey: 'x' },
          models: { scripted: { name: 'scripted', tool_call: true } },
        },
      },
    })
    // Otherwise it asks the registry for its plugin package, for more than a minute.
    mkdirSync(join(folder, 'node_modules'), { recursive: true })
    write(join(folder, 'package.json'), { dependencies: { '@opencode-ai/plugin': '1.18.33' } })
    write(
      join(folder, 'bun.lock'),
      '{ "lockfileVersion": 1, "workspaces": { "": { "dependencies": { "@opencode-ai/plugin": "1.18.33" } } }, "packages": { "@opencode-ai/plugin": ["@opencode-ai/plugin@1.18.33"] } }',
    )
    write(join(folder, 'package-lock.json'), {
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { '@opencode-ai/plugin': '1.18.33' } },
        'node_modules/@opencode-ai/plugin': { version: '1.18.33' },
      },
    })
  },
  words: (prompt) => [opencodeProgram, 'run', '--format', 'json', prompt],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  shell: (command) => ({ tool: 'bash', args: { command, description: 'runs it' } }),
  read: (file) => ({ tool: 'read', args: { filePath: file } }),
}

export const REAL_CLIENTS: readonly RealClient[] = [codex, gemini, qwen, opencode]

/** One run of a client to its end, with nothing of the environment but what it needs. */
export function runClient(client: RealClient, place: Place, prompt: string, timeout_ms = 90_000): Promise<Ran> {
  const [program = '', ...words] = client.words(prompt)
  const from = performance.now()
  return new Promise((done) => {
    const child = spawn(program, words, {
      cwd: place.work,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: place.home,
        XDG_CONFIG_HOME: join(place.home, '.config'),
        XDG_DATA_HOME: join(place.home, '.local/share'),
        XDG_CACHE_HOME: join(place.home, '.cache'),
        TERM: 'dumb',
        CI: '1',
        ...client.env(place),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let out = ''
    const keep = (text: string) => (out += text)
    child.stdout.setEncoding('utf8').on('data', keep)
    child.stderr.setEncoding('utf8').on('data', keep)
    const timer = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    }, timeout_ms)
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, out, ms: performance.now() - from })
    })
  })
}
