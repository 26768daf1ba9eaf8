/** Keys of a server in a client's file that say how the client reaches it, with the values that our own settings imply. */
const IMPLIED: Readonly<Record<string, readonly unknown[]>> = {
  type: ['stdio', 'local', 'remote', 'http', 'sse', 'streamable-http', 'streamable_http', 'streamableHttp'],
  transport: ['stdio', 'http', 'sse', 'streamable-http', 'streamableHttp'],
  source: ['custom'],
  enabled: [true],
  disabled: [false],
}

/** Whether nothing is lost without this key. All tools are offered anyway. */
export const isImplied = (key: string, value: unknown, name: string): boolean =>
  value === null ||
  (IMPLIED[key] ?? []).includes(value) ||
  (key === 'name' && typeof value === 'string' && value.toLowerCase() === name.toLowerCase()) ||
  (key === 'tools' && (value === '*' || (Array.isArray(value) && value.length === 1 && value[0] === '*')))

/** Without these the server does not work, or could do more. */
export const WHY_LEFT: Readonly<Record<string, string>> = {
  headersHelper: 'the client starts a program for its headers (`headersHelper`), which the gate does not',
  authProviderType: 'the client logs in for it in its own way (`authProviderType`)',
  sandboxEnabled: "it runs in the client's sandbox (`sandboxEnabled`)",
}

/** How long a call may take, and in which unit: milliseconds of one. */
export function timeoutKey(client: string): { readonly key: string; readonly ms: number } | undefined {
  if (client === 'codex') return { key: 'tool_timeout_sec', ms: 1000 }
  if (['cline', 'goose'].includes(client)) return { key: 'timeout', ms: 1000 }
  return ['claude-code', 'copilot', 'gemini', 'qwen'].includes(client) ? { key: 'timeout', ms: 1 } : undefined
}

const APPROVES = 'the policy of the gate decides what needs approval'
const LIMITS =
  'the gate offers all of its tools; a rule can block one: `{ effect: block, match: { tool: SERVER__TOOL } }`'
const LOGIN = 'log in with `sluice servers login SERVER`'

/** What to do instead, for the keys that clients document. */
const INSTEAD: Readonly<Record<string, string>> = {
  trust: APPROVES,
  alwaysAllow: APPROVES,
  autoApprove: APPROVES,
  default_tools_approval_mode: APPROVES,
  includeTools: LIMITS,
  excludeTools: LIMITS,
  enabled_tools: LIMITS,
  disabled_tools: LIMITS,
  enabledTools: LIMITS,
  disabledTools: LIMITS,
  allowedTools: LIMITS,
  available_tools: LIMITS,
  tools: LIMITS,
  oauth: LOGIN,
  auth: LOGIN,
  scopes: LOGIN,
  oauth_resource: LOGIN,
}

export const insteadOf = (key: string, server: string): string | undefined =>
  Object.hasOwn(INSTEAD, key) ? INSTEAD[key]?.replaceAll('SERVER', server) : undefined
