import { resolve } from 'node:path'
import { fetchAll, wrongHeaders } from '../../adapters/upstream/server-config.ts'
import type { Resolved, Resolving, ServerKind } from '../../adapters/upstream/server-kind.ts'
import type { OpenApiSettings } from './openapi-settings.ts'
import { openApiTransport, type OpenApiServer } from './openapi-transport.ts'

declare module '../../adapters/upstream/server-kind.ts' {
  interface ServerConfigs {
    openapi: OpenApiServer
  }
}

function openApiServer(settings: OpenApiSettings, { name, folder, fetch }: Resolving): Resolved<OpenApiServer> {
  const { tools: _tools, auth = {}, ...plain } = settings
  const { bearer, basic, api_key, oauth } = auth
  const headers = fetchAll(settings.headers, 'headers', fetch)
  const query: Record<string, string> = {}
  if (bearer !== undefined) headers['authorization'] = `Bearer ${fetch(bearer, 'auth.bearer')}`
  if (basic !== undefined) {
    const pair = `${fetch(basic.user, 'auth.basic.user')}:${fetch(basic.password, 'auth.basic.password')}`
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  if (api_key !== undefined) {
    const place = api_key.in === 'header' ? headers : query
    place[api_key.name] = fetch(api_key.value, 'auth.api_key.value')
  }
  const wrong = wrongHeaders(name, headers)
  const given = Object.keys(headers).filter((header) => header.toLowerCase() === 'authorization').length
  if (given + (oauth === undefined ? 0 : 1) > 1)
    wrong.push(`servers.${name}.auth: the header \`authorization\` is already set`)
  const server = {
    ...plain,
    name,
    openapi: resolve(folder, settings.openapi),
    headers,
    query,
    ...(oauth === undefined
      ? {}
      : { oauth: { ...oauth, client_secret: fetch(oauth.client_secret, 'auth.oauth.client_secret') } }),
  }
  return { server, wrong }
}

export const openApiKind: ServerKind<'openapi'> = {
  key: 'openapi',
  resolve: openApiServer,
  transport: (config, { tuning }) => openApiTransport(config, tuning),
}
