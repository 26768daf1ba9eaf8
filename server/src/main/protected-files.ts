import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { placesIn } from './data-folder.ts'
import { clientFiles } from './init/client-files.ts'
import { partsOf } from './guest-parts.ts'
import type { Settings } from './load-config.ts'
import { LAUNCHER } from '../adapters/files/own-programs.ts'
import { serviceHere } from './service-unit.ts'

/**
 * The files of this user that decide what agents run and whether the gate is asked: the hooks, the service, and what the
 * clients on this machine read, wherever their variables say it is. In other folders they are recognized by their names
 * (guests/sandbox/client-files.ts).
 */
export async function decidingFiles({ data, file }: Pick<Settings, 'data' | 'file'>): Promise<readonly string[]> {
  const around = { home: homedir(), cwd: dirname(file), platform: process.platform, env: process.env }
  const ofGuests = await partsOf(({ decidingFiles: part }) => part)
  const unit = serviceHere(LAUNCHER, file, placesIn(data).log)?.file
  return [
    ...(unit === undefined ? [] : [unit, `${unit}.d`]),
    ...clientFiles(around).map((client) => client.file),
    ...ofGuests.flatMap((filesOf) => filesOf(data, around)),
  ]
}

/** The gate's code, the Node that runs it, and the folders that Node looks for its libraries in. */
export function programFiles(): readonly string[] {
  const root = dirname(dirname(LAUNCHER))
  const isInstalled = basename(dirname(root)) === 'node_modules'
  const own = isInstalled ? [root] : ['bin', 'dist', 'src', 'package.json'].map((name) => join(root, name))
  // pnpm has all packages in one folder, each in a folder of its own.
  const around = dirname(root).replace(/([\\/]\.pnpm)[\\/].*$/, '$1')
  const libraries = isInstalled ? [around] : [root, dirname(root)].map((folder) => join(folder, 'node_modules'))
  return [process.execPath, ...[...own, ...libraries].filter((path) => existsSync(path))]
}

/** What the shells and git of this user read when they start, before any hook is asked. */
export function startFiles(): readonly string[] {
  const { HOME: home = homedir(), ZDOTDIR: zsh = home, XDG_CONFIG_HOME: config = join(home, '.config') } = process.env
  const named = [process.env['BASH_ENV'], process.env['ENV'], process.env['GIT_CONFIG_GLOBAL']]
  return [
    ...SHELL_FILES.map((name) => join(home, name)),
    ...ZSH_FILES.map((name) => join(zsh, name)),
    ...['fish/config.fish', 'fish/conf.d', 'fish/functions', 'environment.d', 'git/config'].map((name) =>
      join(config, name),
    ),
    ...SYSTEM_FILES,
    ...named.flatMap((path) => (path?.startsWith('/') === true ? [path] : [])),
  ]
}

const SHELL_FILES =
  '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .kshrc .mkshrc .cshrc .tcshrc .xprofile .xsessionrc .pam_environment .gitconfig'.split(
    ' ',
  )
const ZSH_FILES = '.zshenv .zshrc .zprofile .zlogin .zlogout'.split(' ')
const SYSTEM_FILES =
  '/etc/profile /etc/profile.d /etc/environment /etc/bash.bashrc /etc/bashrc /etc/zsh /etc/zshenv /etc/zshrc /etc/fish /etc/gitconfig'.split(
    ' ',
  )

/** The programs of coding agents: those that are installed, with their packages, and the names in this user's folders that come first. */
export function clientPrograms(): readonly string[] {
  const own = ['.local/bin', 'bin', '.npm-global/bin', '.bun/bin', '.claude/local'].map((name) => join(homedir(), name))
  const found = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder.startsWith('/'))
  const paths = CLIENT_PROGRAMS.flatMap((name) => [
    ...own.map((folder) => join(folder, name)),
    ...found.map((folder) => join(folder, name)).filter((path) => existsSync(path)),
  ])
  const targets = paths.filter((path) => existsSync(path)).map((path) => realpathSync(path))
  return [...new Set([...paths, ...targets.map(packageOf)])]
}

const CLIENT_PROGRAMS = 'claude codex copilot cursor-agent gemini opencode qwen'.split(' ')

/** The package that a program belongs to, or the program itself. */
const packageOf = (path: string): string => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path)?.[0] ?? path
