import type { RuleInput } from '../rule.ts'
import { token, UUID } from './shapes.ts'

const PASSWORD = { type: 'PASSWORD', group: 1 } as const
/** A word of a command: not a variable, an option or a placeholder. */
const WORD = '["\']?([^\\s"\'$<{|;-][^\\s"\'|;]{3,100})'
/** The rest of a command, up to the next one. */
const ARGS = '[ \\t][^\\n|;]{0,120}?'

/** Secrets that the words around them reveal: options of programs, calls of libraries, headers and sentences. */
export const CONTEXT_RULES: readonly RuleInput[] = [
  token('openssl-password', '-pass', `-pass(?:in|out)?[ \\t]{1,3}pass:${WORD}`, {
    ...PASSWORD,
    glued: true,
    check: 'plain-password',
  }),
  token('keystore-password', '-storepass -keypass', `-(?:storepass|keypass)[ \\t=]{1,3}${WORD}`, {
    ...PASSWORD,
    glued: true,
    check: 'plain-password',
  }),
  token(
    'option-password',
    'ldapsearch ldapmodify ldapadd ldapdelete ldappasswd ldapwhoami snmpwalk snmpget snmpset snmpbulkwalk ssh-keygen',
    `(?:ldap\\w{3,9}${ARGS}-w|snmp\\w{3,9}${ARGS}-[AX]|ssh-keygen${ARGS}-[PN])[ \\t]{1,3}${WORD}`,
    { ...PASSWORD, check: 'plain-password' },
  ),
  token(
    'user-percent-password',
    'smbclient rpcclient mount.cifs winexe net',
    `(?:smbclient|rpcclient|winexe|mount\\.cifs|net)${ARGS}-U[ \\t]{0,2}["']?[\\w.\\\\/@-]{1,60}%([^\\s"'$<{]{4,100})`,
    { ...PASSWORD, check: 'plain-password' },
  ),
  token('network-drive-password', '/user:', `/user:[^\\s"']{1,80}[ \\t]{1,3}([^\\s"'$<{/*-][^\\s"']{3,100})`, {
    ...PASSWORD,
    ignoreCase: true,
    glued: true,
    check: 'plain-password',
  }),
  token(
    'piped-password',
    'echo printf',
    '(?:echo|printf)(?:[ \\t]{1,3}-\\w{1,3})?[ \\t]{1,3}["\']?(?:[\\w.-]{1,40}:)?([^\\s"\'|$<{:-][^\\s"\'|:]{3,100})["\']?[ \\t]{0,3}\\|[ \\t]{0,3}(?:sudo[ \\t][^\\n|]{0,20}-S|(?:sudo[ \\t]{1,3})?(?:chpasswd|passwd)|docker[ \\t]{1,3}login|kinit)',
    { ...PASSWORD, check: 'plain-password' },
  ),
  token(
    'password-variable',
    'pgpassword mysql_pwd sshpass rediscli_auth',
    `(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH)=${WORD}`,
    { ...PASSWORD, check: 'plain-password' },
  ),
  token('oracle-password', 'jdbc:oracle:', 'jdbc:oracle:\\w{2,6}:[^\\s/@"\']{1,60}/([^\\s@"\']{1,100})@', {
    ...PASSWORD,
    check: 'plain-password',
  }),
  token('braintree-token', 'access_token$', 'access_token\\$(?:production|sandbox)\\$[0-9A-Za-z]{16}\\$[0-9a-f]{32}'),

  token(
    'call-password',
    'login( credentials( sign_in( signin( authenticate(',
    '(?:login|credentials|sign_?in|authenticate)\\([ \\t]{0,2}["\'][^"\'\\n]{1,80}["\'],[ \\t]{0,2}["\']([^"\'\\s]{6,100})["\']',
    { ...PASSWORD, ignoreCase: true, glued: true, check: 'chosen-password' },
  ),
  token(
    'call-key',
    'createhmac( createcipheriv( createdecipheriv( hmac.new( aes.new( fernet( secretkeyspec( hmacsha256(',
    '(?:createHmac|create(?:De)?Cipheriv|hmac\\.new|AES\\.new|Fernet|SecretKeySpec|HMACSHA256)\\((?:["\'][\\w-]{2,20}["\'],[ \\t]{0,2})?(?:[A-Za-z.]{1,20}\\()?b?["\']([A-Za-z0-9+/=_-]{16,200})["\']',
    { type: 'SECRET', group: 1, ignoreCase: true, check: 'random' },
  ),

  token(
    'session-cookie',
    'cookie:',
    'cookie:[ \\t]{0,3}(?:[^;=\\s]{1,60}=[^;\\n]{0,200};[ \\t]?){0,6}[\\w.-]{0,30}(?:sess|sid|auth|token|jwt)[\\w.-]{0,30}=([^;\\s"\']{16,400})',
    { type: 'SESSION', group: 1, ignoreCase: true, glued: true, check: 'random' },
  ),

  token(
    'spaced-credential',
    'key token secret',
    `(?:key|token|secret)[ \\t]{1,2}["'\`]?((?:${UUID}|[A-Za-z0-9_+/=-]{24,200}))(?![\\w-])`,
    { type: 'SECRET', group: 1, ignoreCase: true, check: 'spaced-credential' },
  ),
  token(
    'spaced-password',
    'password passphrase passwort passcode pwd',
    '(?:password|passphrase|passwort|passcode|pwd)[ \\t]{1,2}["\'`]?([^\\s"\'`$<{(]{8,100})',
    { ...PASSWORD, ignoreCase: true, check: 'spaced-password' },
  ),
  token(
    'password-of-something',
    'password passphrase passwort passcode kennwort',
    "(?:password|passphrase|passwort|passcode|kennwort)(?:[ \\t](?!is\\b)[A-Za-z][\\w.'-]{0,24}){3,7}(?:[ \\t]is[ \\t:]|:)[ \\t]{0,2}[\"'`]?([^\\s\"'`$<{]{6,100}?)[.,;!?\"'`)]{0,3}(?=\\s|$)",
    { ...PASSWORD, ignoreCase: true, check: 'chosen-password' },
  ),
  token(
    'password-in-other-languages',
    'passe contrase kennwort wachtwoord parola heslo',
    '(?:passe|contrase.{2,3}|kennwort|wachtwoord|parola|heslo)[ \\t]{0,2}(?:[:=]|est|ist|es|is)[ \\t]{0,2}["\'`]?([^\\s"\'`$<{]{6,100}?)[.,;!?"\'`)]{0,3}(?=\\s|$)',
    { ...PASSWORD, ignoreCase: true, check: 'chosen-password' },
  ),
  token(
    'credential-pair',
    'credentials logins login:',
    '(?:credentials|login)[ \\t]{0,2}:[ \\t]{0,3}[\\w.@\\\\-]{2,60}[ \\t]{0,2}/[ \\t]{0,2}([^\\s"\'`$<{/]{6,100}?)[.,;!?)]{0,3}(?=\\s|$)',
    { ...PASSWORD, ignoreCase: true, check: 'chosen-password' },
  ),
  token(
    'seed-phrase',
    'phrase mnemonic',
    '(?:phrase|mnemonic)["\']?[ \\t]{0,3}(?:is[ \\t])?[:=]?[ \\t]{0,3}\\n?["\']?((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![\\w ])',
    { type: 'SEED_PHRASE', group: 1, ignoreCase: true },
  ),
  token(
    'recovery-codes',
    'recovery backup',
    '(?:recovery|backup)[ _-]codes?["\']?[ \\t]{0,3}(?:are[ \\t])?[:=]?\\s{0,6}((?:[A-Za-z0-9]{4,6}-[A-Za-z0-9]{4,6}[\\s,]){1,12}[A-Za-z0-9]{4,6}-[A-Za-z0-9]{4,6})',
    { type: 'RECOVERY_CODES', group: 1, ignoreCase: true },
  ),
]
