import { join } from 'node:path'
import type { HostEnvironment } from '../../adapters/files/client-hooks.ts'

/** Where one client stores its MCP servers. */
export type ClientFile = {
  readonly client: string
  readonly file: string
  /** The path of the key that contains the servers. */
  readonly at: readonly string[]
  readonly format: 'json' | 'toml' | 'yaml'
  /** What this client requires in an entry in addition to the command and its arguments. */
  readonly entry?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** The command and its arguments are one list. */
  readonly one_list?: true
  /** The command is called `cmd`. */
  readonly cmd?: true
}

/** The files of the usual clients on this machine: the user's, then those of the project in the current folder. */
export function clientFiles({ home, cwd, platform, env }: HostEnvironment): readonly ClientFile[] {
  const config = env['XDG_CONFIG_HOME'] ?? join(home, '.config')
  const apps =
    platform === 'darwin'
      ? join(home, 'Library/Application Support')
      : platform === 'win32'
        ? (env['APPDATA'] ?? join(home, 'AppData/Roaming'))
        : config
  const zed = platform === 'win32' ? join(apps, 'Zed') : join(config, 'zed')
  const code = join(apps, 'Code/User')
  const claude = join(env['CLAUDE_CONFIG_DIR'] ?? home, '.claude.json')
  const servers = (client: string, file: string): ClientFile => ({ client, file, at: ['mcpServers'], format: 'json' })
  const vscode = (file: string): ClientFile => ({
    client: 'vscode',
    file,
    at: ['servers'],
    format: 'json',
    entry: { type: 'stdio' },
  })
  const opencode = (file: string): ClientFile => ({
    client: 'opencode',
    file,
    at: ['mcp'],
    format: 'json',
    entry: { type: 'local' },
    one_list: true,
  })
  const goose = platform === 'win32' ? join(apps, 'Block/goose/config') : join(config, 'goose')
  return [
    servers('claude-desktop', join(apps, 'Claude/claude_desktop_config.json')),
    servers('claude-code', claude),
    { ...servers('claude-code', claude), at: ['projects', cwd, 'mcpServers'] },
    servers('cursor', join(home, '.cursor/mcp.json')),
    vscode(join(code, 'mcp.json')),
    servers('windsurf', join(home, '.codeium/windsurf/mcp_config.json')),
    {
      client: 'zed',
      file: join(zed, 'settings.json'),
      at: ['context_servers'],
      format: 'json',
      entry: { source: 'custom' },
    },
    servers('cline', join(code, 'globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json')),
    servers('gemini', join(home, '.gemini/settings.json')),
    servers('qwen', join(home, '.qwen/settings.json')),
    {
      ...servers('copilot', join(env['COPILOT_HOME'] ?? join(home, '.copilot'), 'mcp-config.json')),
      entry: { type: 'local', tools: ['*'] },
    },
    {
      client: 'codex',
      file: join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml'),
      at: ['mcp_servers'],
      format: 'toml',
    },
    opencode(join(config, 'opencode/opencode.json')),
    opencode(join(config, 'opencode/opencode.jsonc')),
    {
      client: 'goose',
      file: join(goose, 'config.yaml'),
      at: ['extensions'],
      format: 'yaml',
      entry: { name: 'sluice', type: 'stdio', enabled: true, timeout: 300 },
      cmd: true,
    },
    { client: 'continue', file: join(home, '.continue/config.yaml'), at: ['mcpServers'], format: 'yaml' },
    servers('claude-code', join(cwd, '.mcp.json')),
    servers('cursor', join(cwd, '.cursor/mcp.json')),
    vscode(join(cwd, '.vscode/mcp.json')),
    servers('gemini', join(cwd, '.gemini/settings.json')),
    servers('qwen', join(cwd, '.qwen/settings.json')),
    opencode(join(cwd, 'opencode.json')),
    opencode(join(cwd, 'opencode.jsonc')),
  ]
}
