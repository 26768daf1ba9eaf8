import { createHmac } from 'node:crypto'
import type { SecretValue } from '../../kernel/attempt/call-secrets.ts'
import { splitDocument } from './facts/capabilities-fact.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import { openDocuments } from './documents.ts'
import { hmacSha256, sameBytes } from '../../adapters/keys/hmac.ts'
import type { GuestPorts } from '../../kernel/ports/guest-ports.ts'

/** Documents cannot use the gate's own settings as secrets. */
const OWN = /^SLUICE_/

/** The ports that documents need. */
export function documentPorts(
  tables: Tables,
  env: Readonly<Record<string, string | undefined>>,
): Pick<GuestPorts, 'documents' | 'secretValue' | 'environment' | 'zoneOffset' | 'isSameText' | 'hmacHex'> {
  const documents = openDocuments(tables)
  const environment = (name: string) => (OWN.test(name) ? undefined : env[name])
  const secretValue: SecretValue = async (document, name) => {
    const [agent, version] = splitDocument(document)
    const opened = await documents.version(agent, Number(version))
    const variable = opened?.document.secrets.find((secret) => secret.name === name)?.envVar
    return variable === undefined ? undefined : environment(variable)
  }
  const mac = (text: string) => hmacSha256(COMPARED, Buffer.from(text))
  return {
    documents,
    secretValue,
    environment,
    zoneOffset,
    isSameText: (one, other) => sameBytes(mac(one), mac(other)),
    hmacHex: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
  }
}

/** Texts of any length are compared by their MACs. */
const COMPARED = Buffer.from('texts compared in constant time')

const MINUTE = 60_000
const formats = new Map<string, Intl.DateTimeFormat | undefined>()

/** How many minutes a time zone is ahead of UTC at a given time; undefined for a zone that this system does not know. */
function zoneOffset(zone: string, at: number): number | undefined {
  if (zone === 'UTC') return 0
  if (!formats.has(zone)) formats.set(zone, formatOf(zone))
  const parts = formats.get(zone)?.formatToParts(at)
  if (parts === undefined) return undefined
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value)
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
  return Math.round((local - Math.floor(at / MINUTE) * MINUTE) / MINUTE)
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  } catch {
    return undefined
  }
}
