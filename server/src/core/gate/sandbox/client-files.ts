/** Files in which coding agents keep their hooks, trust and settings, by the end of their path. */
const CLIENT_FILES =
  /(?:^|[\\/])(?:\.claude[\\/]settings(?:\.local)?\.json|\.claude\.json|\.claude[\\/]hooks[\\/].*|\.codex[\\/](?:hooks\.json|config\.toml|auth\.json|rules[\\/].*)|\.gemini[\\/](?:settings|trustedFolders|trusted_hooks)\.json|\.qwen[\\/](?:settings|trustedFolders)\.json|\.cursor[\\/](?:hooks|cli-config|permissions)\.json|\.copilot[\\/](?:hooks[\\/].*|config\.json|settings\.json)|\.github[\\/]hooks[\\/].*|opencode\.jsonc?|(?:\.opencode|\.config[\\/]opencode)[\\/](?:plugins?[\\/].*|config\.json))$/i

/** The folders themselves: moving or deleting one affects the files in it. */
const CLIENT_FOLDERS =
  /(?:^|[\\/])(?:\.(?:claude|codex|gemini|qwen|cursor|copilot|opencode)|\.config[\\/]opencode)[\\/]*$/i

/** Whether a path is a file that configures a coding agent's hooks, or a folder of such files. */
export const isClientFile = (path: string): boolean => CLIENT_FILES.test(path) || CLIENT_FOLDERS.test(path)
