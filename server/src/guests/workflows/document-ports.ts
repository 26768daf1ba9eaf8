import { createHmac } from 'node:crypto'
import type { SecretValue } from '../../kernel/attempt/call-secrets.ts'
import { splitDocument } from './facts/capabilities-fact.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import { openDocuments } from './documents.ts'
import { hmacSha256, sameBytes } from '../../adapters/keys/hmac.ts'
import { zoneOffset } from '../../main/zone-offset.ts'
import type { GuestPorts } from '../../kernel/ports/guest-ports.ts'

/** Documents cannot use the gate's own settings as secrets. */
const OWN = /^SLUICE_/

/** The ports that documents need. */
export function documentPorts(
  tables: Tables,
  env: NodeJS.ProcessEnv,
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
