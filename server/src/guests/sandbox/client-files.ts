import { braceVariants } from '../../kernel/text/brace-variants.ts'
import { isAnyName, isPattern, nameMatches, namesOf } from '../../kernel/text/glob-reach.ts'

/**
 * Files that decide what a coding agent runs: its hooks, its tool servers, its trust and its permissions, of clients that `init`
 * knows and of others, of the user and of a project. By the end of their path, in lower case; `.*` is any hidden folder.
 */
const FILES = `
  .mcp.json mcp-config.json mcp_config.json mcp_settings.json cline_mcp_settings.json claude_desktop_config.json
  .*/mcp.json .*/settings/mcp.json .*/mcp/mcp.json .*/hooks.json code/user/mcp.json user/globalstorage/*/settings/mcp_settings.json
  .claude.json .claude/settings.json .claude/settings.local.json managed-settings.json managed-mcp.json
  .codex/config.toml .codex/auth.json
  .gemini/settings.json .gemini/trustedfolders.json .gemini/trusted_hooks.json etc/gemini-cli/settings.json gemini-extension.json
  .qwen/settings.json .qwen/trustedfolders.json qwen-extension.json
  .cursor/cli-config.json .cursor/cli.json .cursor/permissions.json .cursor/sandbox.json
  .copilot/config.json .copilot/settings.json .github/copilot/settings.json
  opencode.json opencode.jsonc .opencode/config.json .config/opencode/config.json
  .zed/settings.json .config/zed/settings.json roaming/zed/settings.json .config/goose/config.yaml goose/config/config.yaml
  .continue/config.yaml .continue/config.json .continue/config.ts .amazonq/default.json .aws/amazonq/default.json
  .factory/settings.json .augment/settings.json .crush.json crush.json .aider.conf.yml
  sluice.service dev.sluice.gate.plist`
  .trim()
  .split(/\s+/)
  .map((file) => file.split('/'))

/** Folders in which every file does. */
const TREES = `
  .claude/hooks .claude/plugins .codex/rules .codex/hooks .gemini/extensions .gemini/hooks .gemini/policies .qwen/extensions
  .qwen/hooks .cursor/hooks .copilot/hooks .github/hooks .opencode/plugin .opencode/plugins .opencode/tool .opencode/tools
  .config/opencode/plugin .config/opencode/plugins .config/opencode/tool .config/opencode/tools .continue/mcpservers .kiro/hooks
  .windsurf/hooks .amazonq/cli-agents .aws/amazonq/cli-agents sluice.service.d share/sluice/hooks state/sluice/trusted`
  .trim()
  .split(/\s+/)
  .map((folder) => folder.split('/'))

/**
 * What coding agents, editors and git run or load by themselves: agents, commands and skills whose headers may name hooks and servers,
 * extensions, profiles, tasks, git's hooks and settings. Unlike the files above, these may be run by an agent itself.
 */
const LOADED_FILES = `
  hooks/hooks.json .codex/*.config.toml .codex/.env .gemini/.env .qwen/.env .cursor/environment.json .cursor/worktrees.json
  .opencode/package.json .config/opencode/package.json .vscode/settings.json .vscode/tasks.json .vscode/launch.json *.code-workspace
  .vscode/argv.json .cursor/argv.json .zed/tasks.json .config/zed/tasks.json .envrc .direnvrc .config/direnv/direnvrc
  .git/config .git/config.worktree .git/modules/*/config .git/worktrees/*/config.worktree`
  .trim()
  .split(/\s+/)
  .map((file) => file.split('/'))
  .concat(
    ['code', 'code - insiders', 'cursor', 'vscodium', 'windsurf', 'kiro', 'antigravity', 'trae'].flatMap((editor) =>
      ['settings.json', 'tasks.json', 'keybindings.json', 'mcp.json'].flatMap((file) => [
        [editor, 'user', file],
        [editor, 'user', 'profiles', '*', file],
      ]),
    ),
  )

const LOADED_TREES = `
  .claude/agents .claude/commands .claude/skills .claude/local .claude-plugin etc/claude-code .codex/agents .codex/plugins etc/codex
  .agents/plugins .gemini/agents .gemini/commands etc/gemini-cli .qwen/agents .qwen/commands etc/qwen-code .cursor/agents .cursor/plugins
  .cursor/extensions .cursor-server/extensions .copilot/agents .copilot/plugins .copilot/installed-plugins .github/agents .github/copilot
  .github/plugin .opencode/agent .opencode/agents .opencode/command .opencode/commands .opencode/mode .opencode/modes .opencode/node_modules
  .config/opencode/agent .config/opencode/agents .config/opencode/command .config/opencode/commands .config/opencode/mode
  .config/opencode/modes .config/opencode/node_modules .vscode/extensions .vscode-insiders/extensions .vscode-oss/extensions
  .vscode-server/extensions .vscode-server/data/machine .windsurf/extensions .git/hooks .git/modules/*/hooks .config/git/hooks`
  .trim()
  .split(/\s+/)
  .map((folder) => folder.split('/'))

/** Folders that hold nothing else: a call that changes anything and names one of them may change these files. */
const HOMES = `
  .claude .codex .gemini .qwen .cursor .copilot .opencode .config/opencode .codeium .windsurf .roo .kilocode .kiro .amazonq
  .aws/amazonq .continue .factory .augment`
  .trim()
  .split(/\s+/)
  .map((folder) => folder.split('/'))

/** Folders that hold other files too, so only what moves, links or replaces them as a whole changes these. */
const AROUND = [...FILES, ...TREES]
  .map((names) => names.slice(0, -1))
  .filter((names) => names.length > 0 && !names.some((name) => name.includes('*')))
  .concat([['.vscode'], ['.zed']])

const MOST_VARIANTS = 64

/** Whether a path, or a pattern of paths, is one of these files, or a folder of nothing else. */
export const isClientFile = (path: string): boolean =>
  spellings(path).some(
    (names) =>
      FILES.some((file) => endsWith(names, file)) ||
      HOMES.some((folder) => endsWith(names, folder)) ||
      isIn(names, TREES),
  )

/** Whether a path, or a pattern of paths, is something that a client or git loads or starts by itself. */
export const isLoadedByClient = (path: string): boolean =>
  spellings(path).some((names) => LOADED_FILES.some((file) => endsWith(names, file)) || isIn(names, LOADED_TREES))

/** Whether a path is a folder whose contents git trusts, wherever they come from. */
export const isGitFolder = (path: string): boolean => spellings(path).some((names) => endsWith(names, ['.git']))

const isIn = (names: readonly string[], trees: readonly (readonly string[])[]): boolean =>
  trees.some((folder) => names.some((_, at) => endsWith(names.slice(0, at + 1), folder)))

/** Whether a path is a folder that contains them, among other files. */
export const isAroundClientFile = (path: string): boolean =>
  spellings(path).some((names) => AROUND.some((folder) => endsWith(names, folder)))

/** The files and folders of `isClientFile` that a folder may contain, relative to it, to find second names for them. */
export const CLIENT_PLACES = {
  files: [...FILES, ...LOADED_FILES]
    .filter((names) => !names.some((name) => name.includes('*')))
    .map((names) => names.join('/')),
  trees: [...TREES, ...LOADED_TREES].filter((names) => !names.includes('*')).map((names) => names.join('/')),
}

function spellings(path: string): readonly (readonly string[])[] {
  // Some file systems ignore the case, the width and invisible characters, and Windows what a name ends with.
  const plain = path.normalize('NFKC').replace(/\p{Cf}/gu, '')
  const variants = plain.includes('{') ? (braceVariants(plain) ?? [plain.replace(/\{[^{}]*\}/g, '*')]) : [plain]
  return variants.slice(0, MOST_VARIANTS).map((one) => namesOf(one).map((name) => name.replace(/(?<=[^. ])[. ]+$/, '')))
}

/** INVARIANT: names without wildcards are compared whole; a pattern has to name one of the parts by more than wildcards. */
function endsWith(names: readonly string[], end: readonly string[]): boolean {
  if (names.length < end.length) return false
  const last = names.slice(-end.length)
  return (
    end.every((name, at) => isSame(name, last[at] ?? '')) &&
    end.some((name, at) => !/^\.?\*$/.test(name) && isSpecific(last[at] ?? ''))
  )
}

function isSame(name: string, given: string): boolean {
  // A wildcard at the start of a pattern does not match hidden names.
  if (name.startsWith('.') && !/^[.[]/.test(given)) return false
  if (name === given) return true
  if (name === '*' || name === '.*') return given !== '' && given !== '.' && given !== '..'
  if (name.includes('*') && !isPattern(given)) return nameMatches(name, given)
  return isPattern(given) && (isAnyName(given) || nameMatches(given, name))
}

/** `*.json` targets nothing in particular. */
const isSpecific = (given: string): boolean =>
  !isPattern(given) ||
  (!isAnyName(given) && given.replace(/\[[^\]]*\]?|[*?]|\.(?:json|ya?ml|toml|ts)$/g, '').length >= 3)
