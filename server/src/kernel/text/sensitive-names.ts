import { canMatch, isPattern } from './glob-reach.ts'

/** Names that suggest credentials: as the last name of a path, or anywhere in it. */
const NAMES: readonly { readonly says: string; readonly where: 'last' | 'any'; readonly name: RegExp }[] = [
  { says: 'an environment file', where: 'last', name: /^\.env(?:rc)?(?:[._-].*)?$|^[\w-]+\.env$/ },
  { says: 'a private key', where: 'last', name: /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?!.*\.pub$)/ },
  { says: 'a private key', where: 'last', name: /\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|keytab|kdbx?|agekey|ovpn)$/ },
  { says: 'a folder with keys', where: 'any', name: /^\.(?:ssh|gnupg|password-store|putty)$/ },
  { says: "a gate's data folder", where: 'any', name: /^\.sluice$/ },
  {
    says: 'a folder with cloud credentials',
    where: 'any',
    name: /^\.(?:aws|azure|gcloud|oci|aliyun|kube|fly|terraform\.d)$|^gcloud$/,
  },
  { says: 'a cluster configuration', where: 'last', name: /^(?:kubeconfig|.*\.kubeconfig|admin\.conf)$/ },
  {
    says: 'a credentials file',
    where: 'last',
    name: /^(?:\.netrc|_netrc|\.pgpass|pgpass\.conf|\.my\.cnf|\.mylogin\.cnf|\.npmrc|\.yarnrc\.yml|\.pypirc|\.git-credentials|\.htpasswd|\.dockercfg|\.vault-token|\.s3cfg|\.boto|\.terraformrc|auth\.json|rclone\.conf|\.smbcredentials|wp-config\.php)$/,
  },
  {
    says: 'a credentials file',
    where: 'last',
    name: /^(?:\.?(?:credentials?|secrets?)(?:\.(?:json|ya?ml|toml|ini|txt|xml|db|properties|tfvars))?|client_secret.*\.json|service[-_]?account.*\.json|application_default_credentials\.json)$/,
  },
  {
    says: 'a list of passwords',
    where: 'last',
    name: /^(?:g?shadow|master\.passwd|passwords?(?:\.(?:txt|csv|xlsx?|docx?|json|db|md))?)$/,
  },
  { says: 'a keychain', where: 'any', name: /^keychains?$|\.keychain(?:-db)?$|^keyrings$/ },
  {
    says: "a browser's profile",
    where: 'any',
    name: /^(?:\.mozilla|google-chrome(?:-\w+)?|bravesoftware)$/,
  },
  {
    says: "a browser's password store",
    where: 'last',
    name: /^(?:login data|cookies(?:\.sqlite)?|key[34]\.db|logins\.json)$/,
  },
  { says: 'a wallet', where: 'last', name: /^wallet\.(?:dat|json)$/ },
  { says: 'a state file with secrets', where: 'last', name: /\.tfstate(?:\.backup)?$/ },
  {
    says: 'a command history',
    where: 'last',
    name: /^(?:\.\w+_history|\.histfile|fish_history|consolehost_history\.txt)$/,
  },
]

/** Names that suggest a secret only in a certain folder. */
const IN_FOLDER = new Map([
  ['config.json', new Set(['.docker'])],
  ['hosts.yml', new Set(['gh'])],
  ['credentials.toml', new Set(['.cargo'])],
  ['settings.xml', new Set(['.m2'])],
])
/** Names that a pattern with the same start may target. */
const PROMISING = [
  '.env',
  '.env.local',
  'id_rsa',
  'id_ed25519',
  '.npmrc',
  '.netrc',
  '.git-credentials',
  'credentials.json',
]

/** What kind of secret a path's names suggest, if any. Case, trailing dots and streams (`.env::$DATA`) do not hide it. */
export function sensitiveName(path: string): string | undefined {
  const names = path
    .split(/[\\/]/)
    .map(plain)
    .filter((name) => name !== '')
  const last = names.at(-1)
  if (last === undefined) return undefined
  if (IN_FOLDER.get(last)?.has(names.at(-2) ?? '') === true) return 'a credentials file'
  if (isPattern(last) && PROMISING.some((name) => /^[^*?[{]{2}/.test(last) && canMatch(last, name)))
    return 'a pattern that matches files with secrets'
  return NAMES.find(({ where, name }) => (where === 'last' ? name.test(last) : names.some((one) => name.test(one))))
    ?.says
}

function plain(name: string): string {
  const visible = name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
  return trimmedName(visible.replace(/(?<=.):.*$/, ''))
}

/** Without the trailing dots and spaces that some file systems drop from a name. */
function trimmedName(name: string): string {
  let end = name.length
  while (end > 0 && /[.\s]/.test(name.charAt(end - 1))) end -= 1
  return name.slice(0, end)
}
