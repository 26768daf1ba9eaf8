import type { RuleInput } from '../rule.ts'
import { token, UUID } from './shapes.ts'

/**
 * Secrets recognized by the structure around them: key blocks, tokens with a header, credentials in URLs, headers and commands.
 */
export const STRUCTURE_RULES: readonly RuleInput[] = [
  token(
    'private-key',
    '-----begin',
    '-----BEGIN (?:(?:RSA|DSA|EC|OPENSSH|ENCRYPTED|PGP|ANY) )?PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,12000}(?:-----END [ A-Z]{0,20}KEY(?: BLOCK)?-----)?',
    { type: 'PRIVATE_KEY', ignoreCase: true, glued: true, check: 'key-block' },
  ),
  token(
    'ssh2-private-key',
    '----',
    '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----[^-]{0,12000}(?:---- END SSH2 ENCRYPTED PRIVATE KEY ----)?',
    {
      type: 'PRIVATE_KEY',
      glued: true,
      check: 'key-block',
    },
  ),
  token(
    'der-private-key',
    'miie miij mhcc b3blbnnza',
    '(?:MII[EJ][A-Za-z0-9+/]{2}IBADANBgkqhkiG9w0BAQEFAASC|MII[EJ][A-Za-z0-9+/]{2}IBAAKCA[A-Za-z0-9+/]|MHcCAQEEI|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/\\s]{20,8000}={0,2}',
    { type: 'PRIVATE_KEY' },
  ),
  token('putty-private-key', 'putty-user-key-file-', 'PuTTY-User-Key-File-\\d(?:[^P]|P(?!uTTY-User)){0,8000}', {
    type: 'PRIVATE_KEY',
    glued: true,
  }),
  token('jwt', 'eyj', '(?<![\\w-]\\.)eyJ[\\w-]{10,4000}\\.(?:eyJ)?[\\w-]{5,8000}(?:\\.[\\w-]{0,4000}){0,3}', {
    type: 'JWT',
    check: 'jwt',
  }),
  token('jwt-encoded', 'zxlk', 'ZXlK[A-Za-z0-9+/]{60,8000}={0,2}', { type: 'JWT', check: 'encoded-jwt' }),

  token(
    'connection-string',
    'postgres:// postgresql:// mysql:// mariadb:// mongodb:// mongodb+srv:// redis:// rediss:// amqp:// amqps:// mssql:// sqlserver:// oracle:// clickhouse:// cassandra:// couchbase:// neo4j:// bolt:// nats:// kafka:// ftp:// sftp:// smtp:// smtps:// ldap:// ldaps://',
    '[a-z0-9+]{3,12}://[^\\s/?#@:"\'<>]{0,100}:([^\\s/?#"\'<>@]{1,200})@[\\w.\\[-]',
    { type: 'CONNECTION_STRING', ignoreCase: true, group: 1, check: 'url-password' },
  ),
  token('url-credentials', '://', '://[^\\s/?#@:"\'<>]{0,100}:([^\\s/?#"\'<>@]{1,200})@[\\w.\\[-]', {
    type: 'URL_PASSWORD',
    group: 1,
    glued: true,
    check: 'url-password',
  }),
  token('url-token', '://', '://([A-Za-z0-9_-]{20,100})(?::x-oauth-basic)?@[\\w.-]', {
    type: 'URL_PASSWORD',
    group: 1,
    glued: true,
    check: 'random',
  }),

  token('basic-authorization', 'basic', 'basic {1,4}([A-Za-z0-9+/]{8,1000}={0,2})(?![\\w+/=.-])', {
    type: 'AUTHORIZATION',
    ignoreCase: true,
    group: 1,
    check: 'basic-credentials',
  }),
  token(
    'command-credentials',
    '-u --user',
    '(?:--user|-u)[ =]{0,4}((?:"[^"\\s:]{0,100}"|\'[^\'\\s:]{0,100}\'|[^"\'\\s:]{0,100}):(?:"[^"\\s]{1,100}"|\'[^\'\\s]{1,100}\'|[^"\'\\s]{1,100}))',
    { type: 'PASSWORD', group: 1, glued: true, check: 'user-and-password' },
  ),
  token(
    'quoted-command-credentials',
    '-u --user',
    '(?:--user|-u)[ =]{0,4}["\']([^"\'\\s:]{0,100}:[^"\'\\s]{0,100})["\']',
    { type: 'PASSWORD', group: 1, glued: true, check: 'user-and-password' },
  ),
  token(
    'bundler-credentials',
    'bundle_',
    'BUNDLE_[A-Z0-9_]{2,60}__[A-Z]{2,10}["\']?[ \\t]{0,3}[=:][ \\t]{0,3}["\']?([^\\s:"\';&]{1,100}:[^\\s"\';&]{1,100})',
    {
      type: 'PASSWORD',
      group: 1,
      check: 'user-and-password',
    },
  ),
  token(
    'command-password',
    'sshpass mysql mysqldump mysqladmin mariadb',
    '(?:sshpass[ \\t]{1,4}-p[ \\t]{0,4}|(?:mysql(?:dump|admin)?|mariadb)[ \\t][^\\n|;]{0,120}?[ \\t]-p)["\']?([^\\s"\'$<{-][^\\s"\']{3,100})',
    { type: 'PASSWORD', group: 1, check: 'plain-password' },
  ),
  token(
    'program-password',
    'redis-cli docker podman',
    '(?:redis-cli[ \\t][^\\n|;]{0,80}?-a|(?:docker|podman)[ \\t]{1,4}login[ \\t][^\\n|;]{0,80}?-p)[ \\t]{1,4}["\']?([^\\s"\'$<{-][^\\s"\']{3,100})',
    { type: 'PASSWORD', group: 1, check: 'plain-password' },
  ),
  token(
    'sql-password',
    'alter create set identified',
    '(?:(?:alter|create)[ \\t]{1,4}(?:user|role|login)[ \\t][^\\n;]{1,80}?password[ \\t]{0,4}=?|identified[ \\t]{1,4}(?:with[ \\t]{1,4}[\\w"\']{1,40}[ \\t]{1,4})?by|set[ \\t]{1,4}password[ \\t][^\\n;=]{0,80}=)[ \\t]{0,4}["\']([^"\'\\s$<{:][^"\'\\s]{3,100})["\']',
    { type: 'PASSWORD', group: 1, ignoreCase: true, check: 'plain-password' },
  ),
  token(
    'credential-constructor',
    'networkcredential usernamepasswordcredentials httpbasicauth basicauth passwordauthentication',
    '(?:NetworkCredential|UsernamePasswordCredentials|HTTPBasicAuth|BasicAuth|PasswordAuthentication)\\([ \\t]{0,2}["\'][^"\'\\n]{1,60}["\'],[ \\t]{0,2}["\']([^"\'\\s]{4,100})["\']',
    { type: 'PASSWORD', group: 1, ignoreCase: true, check: 'plain-password' },
  ),
  token(
    'user-and-password-pair',
    'auth',
    'auth[ \\t]{0,2}[=:][ \\t]{0,2}[([{][ \\t]{0,2}["\'][^"\'\\n]{1,60}["\'],[ \\t]{0,2}["\']([^"\'\\s]{4,100})["\'][ \\t]{0,2}[)\\]}]',
    { type: 'PASSWORD', group: 1, check: 'plain-password' },
  ),
  token('netrc-password', 'machine', 'machine [\\w.-]{1,100}\\s{1,10}login \\S{1,100}\\s{1,10}password (\\S{1,200})', {
    type: 'PASSWORD',
    group: 1,
  }),
  token(
    'kubernetes-secret',
    'data:',
    '(?:string)?data:[ \\t]{0,4}\\r?((?:\\n[ \\t]{1,12}[\\w."\'-]{1,80}:[^\\n]{1,4000}){1,40})',
    {
      type: 'KUBERNETES_SECRET',
      ignoreCase: true,
      glued: true,
      group: 1,
      check: 'kubernetes-data',
    },
  ),
  token('vault-approle', 'secret_id', `secret_id["']?[ \\t]{0,4}[=:][ \\t]{0,4}["']?(${UUID})`, {
    type: 'PASSWORD',
    group: 1,
    ignoreCase: true,
  }),
]

/** A name that suggests a secret, and a value that can be one. Last in the table: every rule above is more specific. */
export const ASSIGNMENT_RULES: readonly RuleInput[] = [
  {
    id: 'assigned-password',
    type: 'PASSWORD',
    kind: 'secret',
    at: 'value',
    keywords: ['pass', 'pwd', 'pw', 'psk', 'secret', 'contrase', 'senha'],
    glued: true,
    pattern: '[^\\n]{4,200}',
    check: 'assigned-password',
  },
  {
    id: 'assigned-credential',
    type: 'SECRET',
    kind: 'secret',
    at: 'value',
    keywords: ['token', 'key', 'auth', 'cred', 'secret', 'bearer', 'salt', 'nonce', 'api'],
    glued: true,
    pattern: '\\S{10,700}',
    check: 'assigned-credential',
  },
  {
    id: 'random-string',
    type: 'SECRET',
    kind: 'secret',
    pattern: '["\'`]([A-Za-z0-9+/_=-]{24,120})["\'`]',
    group: 1,
    check: 'random-string',
  },
]
