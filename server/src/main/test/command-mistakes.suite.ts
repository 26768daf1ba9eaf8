/**
 * Mistakes that people make on the command line, with or without a running gate. Each is answered with what is wrong, where, and what to do,
 * with the documented exit code and without a stack trace.
 */
export type Mistake = {
  readonly name: string
  readonly words: readonly string[]
  readonly says: readonly string[]
  readonly code: number
  readonly input?: string
  readonly env?: Record<string, string>
}

const CALL = ['call', 'book__note']
export const MISTAKES: readonly Mistake[] = [
  { name: 'a mistyped command', words: ['cal', 'x'], says: ["unknown command 'cal'", 'Did you mean call?'], code: 64 },
  { name: 'a mistyped subcommand', words: ['audit', 'tial'], says: ["unknown command 'tial'", 'tail'], code: 64 },
  { name: 'a mistyped option', words: ['approvals', '--wach'], says: ["unknown option '--wach'", '--watch'], code: 64 },
  {
    name: 'a caller of no kind',
    words: ['--as', 'agnt:x', 'tools'],
    says: ['--as does not begin with a kind of caller', 'agent, user, approver'],
    code: 64,
  },
  { name: 'a missing argument', words: ['call'], says: ["missing required argument 'tool'"], code: 64 },
  {
    name: 'a mistyped tool',
    words: ['call', 'book__nota'],
    says: ['no tool has this id', 'did_you_mean: book__note'],
    code: 3,
  },
  { name: 'a tool without its server', words: ['card', 'note'], says: ['did_you_mean: book__note'], code: 1 },
  { name: 'arguments that are missing', words: CALL, says: ['call.args_invalid', 'text'], code: 3 },
  {
    name: 'JSON with a trailing comma',
    words: [...CALL, '{"text":"a",}'],
    says: ['comma before the closing bracket', '           ^'],
    code: 64,
  },
  { name: 'JSON with single quotes', words: [...CALL, "{'text':'a'}"], says: ['double quotes', ' ^'], code: 64 },
  { name: 'JSON that is not closed', words: [...CALL, '{"text":"a"'], says: ['it ends too early'], code: 64 },
  {
    name: 'JSON with a name twice',
    words: [...CALL, '{"text":"a","text":"b"}'],
    says: ['occurs twice', '            ^'],
    code: 64,
  },
  {
    name: 'JSON with half of a character',
    words: [...CALL, '{"text":"\\ud800"}'],
    says: ['lone surrogate', '         ^'],
    code: 64,
  },
  {
    name: 'a file that does not exist',
    words: [...CALL, '@missing.json'],
    says: ['`missing.json` cannot be read: there is no such file'],
    code: 64,
  },
  {
    name: 'a file that is not JSON',
    words: [...CALL, '@bad.json'],
    says: ['the file `bad.json` is not JSON', '(line 3)'],
    code: 64,
  },
  {
    name: 'nothing piped in',
    words: [...CALL, '-'],
    input: '',
    says: ['standard input is not JSON: it is empty'],
    code: 64,
  },
  {
    name: 'an address without http',
    words: ['--url', 'foo', 'tools'],
    says: ['--url is not the address of a gate', 'http://127.0.0.1:7420'],
    code: 64,
  },
  {
    name: 'an address of another protocol',
    words: ['tools'],
    env: { SLUICE_URL: 'ftp://x' },
    says: ['SLUICE_URL is not the address of a gate'],
    code: 64,
  },
  {
    name: 'an address where nothing listens',
    words: ['--url', 'http://127.0.0.1:1', 'tools'],
    says: ['no gate responds at http://127.0.0.1:1: connection refused'],
    code: 69,
  },
  {
    name: 'a host that does not exist',
    words: ['--url', 'http://no.such.host.invalid', 'tools'],
    says: ['no gate responds at http://no.such.host.invalid', 'check the address'],
    code: 69,
  },
  { name: 'an unknown key', words: ['--key', 'sluice_agent_AAAA', 'tools'], says: ['auth.'], code: 1 },
  {
    name: 'a configuration that does not exist',
    words: ['--config', 'nowhere.yaml', 'tools'],
    says: ['there is no configuration file nowhere.yaml'],
    code: 64,
  },
  {
    name: 'an option that is not a number',
    words: ['search', 'note', '--top-k', 'many'],
    says: ['many', 'whole number'],
    code: 64,
  },
  {
    name: 'a waiting time that is not a number',
    words: [...CALL, '--wait', 'soon'],
    says: ['expected a number of seconds'],
    code: 64,
  },
  {
    name: 'an approval that does not exist',
    words: ['approve', 'auth_nope'],
    says: ['no approval has this id', 'sluice approvals'],
    code: 1,
  },
  { name: 'a call that does not exist', words: ['status', 'call_nope'], says: ['no call has this id'], code: 1 },
  {
    name: 'an unknown way to settle',
    words: ['settle', 'call_x', 'undo'],
    says: ['retry, done, failed'],
    code: 64,
  },
  {
    name: 'an unknown kind of key',
    words: ['keys', 'create', 'agnt', 'x'],
    says: ['agent, user, approver'],
    code: 64,
  },
  {
    name: 'a consent for a tool that does not exist',
    words: ['consent', 'mint', 'caller:agent:x', 'book__nite', '--calls', '3', '--for', '2h', '--any-args'],
    says: ['no tool has this id', 'did_you_mean: book__note'],
    code: 1,
  },
  {
    name: 'a pause of a tool that does not exist',
    words: ['pause', 'tool:book__nite'],
    says: ['did_you_mean: book__note'],
    code: 1,
  },
  {
    name: 'a pause of a server that does not exist',
    words: ['pause', 'server:boook'],
    says: ['no tool server has this name', 'known: book'],
    code: 1,
  },
  {
    name: 'a pause without a scope',
    words: ['pause'],
    says: ['specify what to pause', 'pause all'],
    code: 64,
  },
  { name: 'an editor without a terminal', words: ['edit', 'auth_nope'], says: ['no approval has this id'], code: 1 },
  {
    name: 'an export in an unknown format',
    words: ['audit', 'export', '--format', 'xml'],
    says: ['jsonl, csv'],
    code: 64,
  },
  { name: 'a subcommand that does not exist', words: ['workflow', 'shw'], says: ["'shw'", '--help'], code: 64 },
  {
    name: 'a subcommand unlike any other',
    words: ['consent', 'grant'],
    says: ["'grant'", 'commands: mint, list, revoke', 'sluice consent --help'],
    code: 64,
  },
  {
    name: 'a command without its argument',
    words: ['deny'],
    says: ['usage: ', 'sluice deny [options] <approval_id>'],
    code: 64,
  },
  {
    name: 'a scope of a pause that does not exist',
    words: ['pause', 'caler:x'],
    says: ['scope: must be all, caller:ID, tool:ID or server:NAME'],
    code: 1,
  },
  {
    name: 'test cases that do not exist',
    words: ['policy', 'test', 'nowhere.yaml'],
    says: ['the file `nowhere.yaml` cannot be read: there is no such file'],
    code: 64,
  },
  {
    name: 'a workflow document that does not exist',
    words: ['workflow', 'apply', 'nowhere.yaml'],
    says: ['the file `nowhere.yaml` cannot be read: there is no such file'],
    code: 64,
  },
  {
    name: 'a workflow document without its fields',
    words: ['workflow', 'dry-run', 'empty-document.yaml'],
    says: ['empty-document.yaml:1:1: missing (at metadata)', 'missing (at trust)', 'unknown field `gosuto`'],
    code: 1,
  },
  {
    name: 'a workflow document that is not YAML',
    words: ['workflow', 'validate', 'open-bracket.yaml'],
    says: ['open-bracket.yaml:2:1: not YAML'],
    code: 1,
  },
  {
    name: 'a workflow document that nobody applied',
    words: ['workflow', 'run', 'nobody'],
    says: ['sluice workflow list'],
    code: 1,
  },
  {
    name: 'a version of a document that is not a number',
    words: ['workflow', 'rollback', 'clerk', '--to', 'first'],
    says: ['`first` is not the number of a version', 'workflow list clerk'],
    code: 64,
  },
  {
    name: 'a flow bundle that does not exist',
    words: ['flow', 'import', 'nowhere.yaml'],
    says: ['the file `nowhere.yaml` cannot be read: there is no such file'],
    code: 64,
  },
  {
    name: 'a flow bundle without its fields',
    words: ['flow', 'import', 'empty-bundle.json'],
    says: ['flow.title: missing', 'flow.scope: must be one of personal, project, org', 'steps: missing'],
    code: 1,
  },
  {
    name: 'a flow while flows are switched off',
    words: ['flow', 'start', 'flow_x'],
    says: ['flows are read-only', 'hub_flow_execution_policy.json'],
    code: 1,
  },
  {
    name: 'a status of flow runs that does not exist',
    words: ['flow', 'runs', '--status', 'x'],
    says: ['in_progress'],
    code: 1,
  },
  {
    name: 'a key of the hub that was not prepared',
    words: ['hub', 'rotate'],
    says: ['there is no prepared key', 'hub rotate --prepare'],
    code: 1,
  },
  {
    name: 'a node without options',
    words: ['node', '--hub', 'hub.example'],
    says: [
      'option --hub): write an address that starts with http',
      'option --name): missing',
      'option --public-key): missing',
    ],
    code: 1,
  },
  {
    name: 'a hook of an unknown client',
    words: ['hook', 'claude'],
    says: ['`claude` is not a known client', 'claude-code'],
    code: 2,
  },
  { name: 'a hook of opencode', words: ['hook', 'opencode'], says: ['plugin', 'sluice init --write --hooks'], code: 2 },
  {
    name: 'a hook with a wrong time',
    words: ['hook', 'codex', '--wait', 'soon'],
    says: ['`soon` is not a number of seconds'],
    code: 2,
  },
  {
    name: 'a pack that does not exist',
    words: ['packs', 'show', 'nobody'],
    says: ['there is no pack `nobody`', 'packs list'],
    code: 64,
  },
  { name: 'a verb of packs that does not exist', words: ['packs', 'shw'], says: ['packs show NAME'], code: 64 },
  {
    name: 'a thread of the agent that does not exist',
    words: ['agent', 'chat', '--thread', 'thread_x'],
    says: ['you have no such thread', 'sluice agent threads'],
    code: 1,
  },
  {
    name: 'a service without a configuration',
    words: ['service', 'install', '--print', '--config', 'nowhere.yaml'],
    says: ['nowhere.yaml'],
    code: 64,
  },
  { name: 'a shell without completion', words: ['completion', 'tcsh'], says: ['bash, zsh, fish'], code: 64 },
  {
    name: 'a database of another kind to move to',
    words: ['store', 'move', 'mysql://x/y'],
    says: ['the address does not begin with `postgres://`'],
    code: 1,
  },
  {
    name: 'moving the store of a gate that runs',
    words: ['store', 'move', 'postgres://u:secret@127.0.0.1:1/db'],
    says: ['already running on this data folder', 'stop it first'],
    code: 1,
  },
  {
    name: 'a delegation with an invalid time',
    words: ['delegate', 'dan', '--for', 'soon'],
    says: ['30m, 8h or 14d'],
    code: 64,
  },
  {
    name: 'a kind of runs that does not exist',
    words: ['runs', '--kind', 'x'],
    says: ['kind: one of held-call'],
    code: 1,
  },
]
