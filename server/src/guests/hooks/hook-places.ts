import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HookClient, HOOK_CLIENTS } from '../../kernel/contract/hook-clients.ts'
import type { HookPlace, HostEnvironment } from '../../adapters/files/client-hooks.ts'
import { installedHook } from './installed-hook.ts'

export function hookPlaces({ home, env }: HostEnvironment): readonly HookPlace[] {
  const config = env['XDG_CONFIG_HOME'] ?? join(home, '.config')
  const homes: Readonly<Record<HookClient, readonly [string, string]>> = {
    'claude-code': [env['CLAUDE_CONFIG_DIR'] ?? join(home, '.claude'), 'settings.json'],
    codex: [env['CODEX_HOME'] ?? join(home, '.codex'), 'hooks.json'],
    copilot: [env['COPILOT_HOME'] ?? join(home, '.copilot'), 'hooks/sluice.json'],
    cursor: [join(home, '.cursor'), 'hooks.json'],
    gemini: [join(home, '.gemini'), 'settings.json'],
    opencode: [join(config, 'opencode'), 'plugin/sluice.js'],
    qwen: [join(home, '.qwen'), 'settings.json'],
  }
  return HOOK_CLIENTS.map((client) => ({
    client,
    home: homes[client][0],
    file: join(homes[client][0], homes[client][1]),
  }))
}

export const presentPlaces = (around: HostEnvironment): readonly HookPlace[] =>
  hookPlaces(around).filter(({ home }) => existsSync(home))

/** The file with opencode's settings, in its settings folder. */
export function opencodeSettings(home: string): string {
  const names = ['opencode.json', 'opencode.jsonc', 'config.json'].map((name) => join(home, name))
  return names.find((file) => existsSync(file)) ?? join(home, 'opencode.json')
}

export function decidingFiles(data: string, around: HostEnvironment): readonly string[] {
  const places = hookPlaces(around)
  return [
    dirname(installedHook(data, around)),
    ...places.map(({ file }) => file),
    ...places.filter(({ client }) => client === 'opencode').map(({ home }) => opencodeSettings(home)),
  ]
}
