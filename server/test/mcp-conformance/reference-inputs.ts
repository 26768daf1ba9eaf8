import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

export const stateCodec = createRequestStateCodec<string>({ key: 'a key of the reference server, of no other use' })

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
const Name = z.object({ name: z.string() })
const Color = z.object({ color: z.string() })
const Ok = z.object({ ok: z.boolean() })
const elicit = (message: string, requestedSchema: z.ZodObject) => inputRequired.elicit({ message, requestedSchema })
const sample = (said: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: said } }],
    maxTokens,
  })
const capabilitiesOf = ({ mcpReq }: ServerContext) =>
  (mcpReq.envelope as Record<string, Record<string, unknown> | undefined> | undefined)?.[
    CLIENT_CAPABILITIES_META_KEY
  ] ?? {}

/** Tools that need several rounds, as since 2026-07-28: they answer with their questions. */
export function addInputTools(server: McpServer): void {
  addSingleRounds(server)
  addStatefulRounds(server)
  // The SDK refuses to ask a client for what it did not declare.
  server.registerTool('test_missing_capability', { description: 'Needs a client with a model' }, () =>
    inputRequired({ inputRequests: { question: sample('Are you there?', 10) } }),
  )
  server.registerTool('test_input_required_result_capabilities', { description: 'Asks what it may' }, (context) => {
    const can = capabilitiesOf(context)
    return inputRequired({
      inputRequests: {
        ...(can['sampling'] === undefined ? {} : { question: sample('What is the capital of France?', 100) }),
        ...(can['elicitation'] === undefined ? {} : { name: elicit('What is your name?', Name) }),
      },
    })
  })
  server.registerPrompt('test_input_required_result_prompt', { description: 'A prompt that asks first' }, (context) => {
    const Context = z.object({ context: z.string() })
    const given = acceptedContent(context.mcpReq.inputResponses, 'user_context', Context)
    if (given === undefined)
      return inputRequired({ inputRequests: { user_context: elicit('What context should the prompt use?', Context) } })
    return { messages: [{ role: 'user', content: { type: 'text', text: `Use this context: ${given.context}` } }] }
  })
}

function addSingleRounds(server: McpServer): void {
  const asksName = ({ mcpReq }: ServerContext) => {
    const given = acceptedContent(mcpReq.inputResponses, 'user_name', Name)
    if (given === undefined) return inputRequired({ inputRequests: { user_name: elicit('What is your name?', Name) } })
    return text(`Hello, ${given.name}!`)
  }
  server.registerTool('test_input_required_result_elicitation', { description: 'Asks for a name' }, asksName)
  server.registerTool('test_streaming_elicitation', { description: 'Asks for a name, too' }, asksName)
  server.registerTool('test_input_required_result_sampling', { description: 'Asks a model' }, ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'capital_question')
    return given.kind === 'sampling'
      ? text(`The model says: ${JSON.stringify(given.result.content)}`)
      : inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?', 100) } })
  })
  server.registerTool('test_input_required_result_list_roots', { description: 'Asks for roots' }, ({ mcpReq }) => {
    const given = inputResponse(mcpReq.inputResponses, 'client_roots')
    return given.kind === 'roots'
      ? text(`Roots: ${given.roots.map(({ uri }) => uri).join(', ')}`)
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
  })
}

function addStatefulRounds(server: McpServer): void {
  const confirms = async (context: ServerContext) => {
    const { mcpReq } = context
    const given = acceptedContent(mcpReq.inputResponses, 'confirm', Ok)
    if (given !== undefined && mcpReq.requestState<string>() === 'confirming') return text('confirmed, state-ok')
    return inputRequired({
      inputRequests: { confirm: elicit('Please confirm', Ok) },
      requestState: await stateCodec.mint('confirming', context),
    })
  }
  server.registerTool('test_input_required_result_request_state', { description: 'Keeps a state' }, confirms)
  server.registerTool('test_input_required_result_tampered_state', { description: 'Signs its state' }, confirms)
  server.registerTool('test_input_required_result_multiple_inputs', { description: 'Asks three things' }, async (c) => {
    const given = ['user_name', 'greeting', 'client_roots'].map((key) => inputResponse(c.mcpReq.inputResponses, key))
    if (given.every(({ kind }) => kind !== 'missing')) return text('all three were answered')
    return inputRequired({
      inputRequests: {
        user_name: elicit('What is your name?', Name),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await stateCodec.mint('asking', c),
    })
  })
  server.registerTool('test_input_required_result_multi_round', { description: 'Asks twice' }, async (context) => {
    const { mcpReq } = context
    const state = mcpReq.requestState<string>()
    const color = acceptedContent(mcpReq.inputResponses, 'step2', Color)
    if (state !== undefined && state.startsWith('named ') && color !== undefined)
      return text(`${state.slice('named '.length)} likes ${color.color}`)
    const named = state === 'asked' ? acceptedContent(mcpReq.inputResponses, 'step1', Name) : undefined
    return named === undefined
      ? inputRequired({
          inputRequests: { step1: elicit('Step 1: What is your name?', Name) },
          requestState: await stateCodec.mint('asked', context),
        })
      : inputRequired({
          inputRequests: { step2: elicit('Step 2: What is your favorite color?', Color) },
          requestState: await stateCodec.mint(`named ${named.name}`, context),
        })
  })
}
