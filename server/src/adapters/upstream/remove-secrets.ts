/** Shorter ones would remove half of every sentence. */
const SHORTEST_SECRET = 6

/** The text without any of the secrets. */
export function removeSecrets(secrets: readonly string[], text: string): string {
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length)
    .reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), text)
}
