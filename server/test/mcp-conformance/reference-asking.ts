import { inputRequired, inputResponse, type McpServer, type ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })

/**
 * Tools that ask the client something, for the suites before 2026-07-28. They are written for 2026-07-28; the SDK itself asks older
 * clients.
 */
export function addAskingTools(server: McpServer): void {
  const asking = (
    { mcpReq }: ServerContext,
    message: string,
    properties: object,
    says: (answer: string) => string,
    required: string[] = [],
  ) => {
    const given = inputResponse(mcpReq.inputResponses, 'form')
    if (given.kind === 'elicit')
      return text(says(`action=${given.action}, content=${JSON.stringify(given.content ?? {})}`))
    const requestedSchema = { type: 'object', properties, required } as never
    return inputRequired({ inputRequests: { form: inputRequired.elicit({ message, requestedSchema }) } })
  }
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client', inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, { mcpReq }) => {
      const given = inputResponse(mcpReq.inputResponses, 'model')
      if (given.kind === 'sampling') return text(`LLM response: ${JSON.stringify(given.result.content)}`)
      const asked = { role: 'user' as const, content: { type: 'text' as const, text: prompt } }
      return inputRequired({
        inputRequests: { model: inputRequired.createMessage({ messages: [asked], maxTokens: 100 }) },
      })
    },
  )
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the person at the client', inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) => {
      const properties = {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      }
      return asking(context, message, properties, (answer) => `User response: <${answer}>`, ['username', 'email'])
    },
  )
  server.registerTool('test_elicitation_sep1034_defaults', { description: 'Asks with defaults' }, (context) => {
    const properties = {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }
    return asking(context, 'Please review the defaults', properties, (answer) => `Elicitation completed: ${answer}`)
  })
  server.registerTool('test_elicitation_sep1330_enums', { description: 'Asks with choices' }, (context) => {
    const titled = ['First', 'Second', 'Third'].map((title, at) => ({ const: `value${at + 1}`, title }))
    const plain = ['option1', 'option2', 'option3']
    const properties = {
      untitledSingle: { type: 'string', enum: plain },
      titledSingle: { type: 'string', oneOf: titled.map((one) => ({ ...one, title: `${one.title} Option` })) },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: plain } },
      titledMulti: { type: 'array', items: { anyOf: titled.map((one) => ({ ...one, title: `${one.title} Choice` })) } },
    }
    return asking(context, 'Please choose', properties, (answer) => `Elicitation completed: ${answer}`)
  })
}
