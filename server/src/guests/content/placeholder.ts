const RUNS = /x{5,}|X{5,}|\*{3,}|\.{3}|…|#{4,}|<[^<>]{1,60}>|_{8,}/
const TEMPLATE = /^(?:@[\w.-]+@$|\$|%[a-z(%]|%[A-Z_]+%$|\{\{|\{[%$]|#\{|@@|<|\[[A-Z_ -]+\]?|\$?\{[\w .$-]+\}$)/
const WORDS =
  /example|sample|dummy|fake|placeholder|change[-_ ]?me|redacted|your[-_ ]|[-_ ]your|insert|replace|todo|to-?do|n\/a|lorem|not[-_ ](?:a|so|long|real)|foo(?:bar)?$|[-_ ]here$|^my(?:[-_ ][a-z]+)+$/i
/** A reference to the secret, or the secret encrypted for its owner. */
const REFERENCE = /^(?:ENC[([]|\{cipher\}|(?:vault|ssm|kms|sops|secretsmanager|arn|op|keyring|file|env):|!vault)/i
const COMMON = new Set(
  (
    'new old my our the db user1 password1 password passwd pass pwd passphrase passcode secret token user username test testing tests yyy xxx abc abc123 admin root ' +
    'none null nil undefined true false yes no on off string str value required optional empty default hidden masked ' +
    'prompt ask env vault file auto generated random unset basic bearer digest key apikey login credentials guest demo ' +
    'contrasena senha passwort kennwort wachtwoord haslo heslo parola salasana motdepasse clave postgres mysql mongo ' +
    'encrypted plain plaintext hash hashed bcrypt md5 sha1 sha256 number boolean integer object array function'
  ).split(' '),
)

/** Digits that people append to a word: `test123`, `admin1`. */
const COUNT = /(?:0{0,3}[1-3]|12|1234?5?6?)$/

/** A run of filler characters, as in documentation: `ghp_xxxxxxxx`. */
export function isStandIn(value: string): boolean {
  return RUNS.test(value) || value.includes('REDACTED')
}

/** Whether a value is a reference, a template or a word that nobody would use as a secret. */
export function isPlaceholder(value: string): boolean {
  if (isStandIn(value) || TEMPLATE.test(value) || REFERENCE.test(value) || /\$\{\w+\}/.test(value) || WORDS.test(value))
    return true
  if (
    value
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .every((word) => COMMON.has(word) || COMMON.has(word.replace(COUNT, '')) || word === '')
  )
    return true
  return /^(.)\1*$/.test(value)
}
