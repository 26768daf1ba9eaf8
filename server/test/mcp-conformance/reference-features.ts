import { setTimeout as sleep } from 'node:timers/promises'
import { fromJsonSchema, McpServer, ResourceTemplate, type ServerNotifier } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { addAskingTools } from './reference-asking.ts'
import { addInputTools, stateCodec } from './reference-inputs.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
const PAUSE_MS = 50
/** Longer than the gate takes to answer with a stream. */
const LONG_MS = 1_500

/** A server with every feature the suites test. `notifier` reaches the listeners since 2026-07-28. */
export function buildReference(notifier?: () => ServerNotifier): McpServer {
  const server = new McpServer(
    { name: 'reference', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: { verify: (state, context) => stateCodec.verify(state, context) },
    },
  )
  addContentTools(server)
  addLivelyTools(server)
  addAskingTools(server)
  addInputTools(server)
  addChangeTools(server, notifier)
  addResources(server)
  addPrompts(server)
  return server
}

function addContentTools(server: McpServer): void {
  const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' }
  const resource = (uri: string, mimeType: string, said: string) => ({
    type: 'resource' as const,
    resource: { uri, mimeType, text: said },
  })
  server.registerTool('test_simple_text', { description: 'Answers with one sentence' }, () =>
    text('This is a simple text response for testing.'),
  )
  server.registerTool('test_image_content', { description: 'Answers with a picture' }, () => ({ content: [image] }))
  server.registerTool('test_audio_content', { description: 'Answers with a sound' }, () => ({
    content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }],
  }))
  server.registerTool('test_embedded_resource', { description: 'Answers with a resource' }, () => ({
    content: [resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }))
  server.registerTool('test_multiple_content_types', { description: 'Answers with three kinds of content' }, () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }))
  server.registerTool('test_error_handling', { description: 'Fails, always' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Has a schema with every kind of keyword', inputSchema: fromJsonSchema(RICH_SCHEMA) },
    () => text('understood'),
  )
  const region = { type: 'string', 'x-mcp-header': 'Region' }
  server.registerTool(
    'test_custom_headers',
    {
      description: 'Wants its region in a header too',
      inputSchema: fromJsonSchema<{ region: string }>({
        type: 'object',
        properties: { region },
        required: ['region'],
      }),
    },
    ({ region: near }) => text(`near ${near}`),
  )
}

/** Tools that send messages before they answer. */
function addLivelyTools(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs while it works' }, async ({ mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line)
      await sleep(PAUSE_MS)
    }
    return text('logged')
  })
  server.registerTool('test_logging_tool', { description: 'Logs if it is asked to' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'a line for the log')
    return text('logged')
  })
  server.registerTool('test_tool_with_progress', { description: 'Says how far it is' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await sleep(PAUSE_MS)
    }
    return text('done')
  })
  server.registerTool('test_reconnection', { description: 'Hangs up while it works' }, async ({ http }) => {
    await sleep(PAUSE_MS)
    http?.closeSSE?.()
    await sleep(LONG_MS)
    return text('Reconnection test completed')
  })
}

/** A tool that comes and goes. */
let is_extra_there = false

/** Tools that change the server's lists. */
function addChangeTools(server: McpServer, notifier?: () => ServerNotifier): void {
  const extra = server.registerTool('test_extra_tool', { description: 'Comes and goes' }, () => text('here I am'))
  if (!is_extra_there) extra.disable()
  server.registerTool('test_trigger_tool_change', { description: 'Changes the tools' }, () => {
    is_extra_there = !is_extra_there
    if (is_extra_there) extra.enable()
    else extra.disable()
    notifier?.().toolsChanged()
    return text('changed')
  })
  server.registerTool('test_trigger_prompt_change', { description: 'Changes the prompts' }, () => {
    if (notifier === undefined) server.sendPromptListChanged()
    else notifier().promptsChanged()
    return text('changed')
  })
}

function addResources(server: McpServer): void {
  const plain = (uri: string, said: string) => ({ contents: [{ uri, mimeType: 'text/plain', text: said }] })
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'A text that stays', mimeType: 'text/plain' },
    ({ href }) => plain(href, 'This is the content of the static text resource.'),
  )
  server.registerResource(
    'static-binary',
    'test://static-binary',
    { description: 'A picture that stays', mimeType: 'image/png' },
    ({ href }) => ({ contents: [{ uri: href, mimeType: 'image/png', blob: PIXEL }] }),
  )
  server.registerResource(
    'watched-resource',
    'test://watched-resource',
    { description: 'A text to watch', mimeType: 'text/plain' },
    ({ href }) => plain(href, 'watched'),
  )
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id', mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  )
  const { server: raw } = server
  raw.setRequestHandler('resources/subscribe', () => ({}))
  raw.setRequestHandler('resources/unsubscribe', () => ({}))
}

function addPrompts(server: McpServer): void {
  const says = (said: string) => ({ role: 'user' as const, content: { type: 'text' as const, text: said } })
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments' }, () => ({
    messages: [says('This is a simple prompt for testing.')],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'A prompt with two arguments', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt around a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
          },
        },
        says('Please process the embedded resource above.'),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt around a picture' }, () => ({
    messages: [
      { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
      says('Please analyze the image above.'),
    ],
  }))
  server.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((word) => word.startsWith(params.argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
}

const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
