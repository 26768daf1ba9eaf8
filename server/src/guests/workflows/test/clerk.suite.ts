/** Protocol steps of a document that files notes in the book of the tests. */
export const clerk = (
  steps: string,
  more: { readonly head?: string; readonly messaging?: string } = {},
): string => `apiVersion: gosuto/v1
metadata: { name: clerk }
trust:
  allowedRooms: ["!office:test"]
  allowedSenders: ["*"]
  trustedPeers:
    - { mxid: "@boss:test", roomId: "!office:test", protocols: [clerk.file.v1] }
capabilities:
  - { name: hands-off, mcp: book, tool: wipe }
  - { name: asked, mcp: book, tool: note, allow: true, requireApproval: true }
  - { name: book, mcp: book, tool: "*", allow: true }
messaging:
  allowedTargets: [{ roomId: "!office:test", alias: boss }]
  ${more.messaging ?? ''}
${more.head ?? ''}
workflow:
  schemas:
    request:
      type: object
      required: [run_id, titles]
      additionalProperties: true
      properties:
        run_id: { type: integer, minimum: 1 }
        titles: { type: array, minItems: 1, items: { type: string } }
    summary:
      type: object
      required: [text]
      properties: { text: { type: string } }
  protocols:
    - id: clerk.file.v1
      trigger: { type: matrix.protocol_message, prefix: CLERK_FILE }
      inputSchemaRef: request
      steps:
${steps
  .trim()
  .split('\n')
  .map((line) => `        ${line}`)
  .join('\n')}
`

export const REQUEST = { run_id: 1, titles: ['one', 'two'] }
export const FILE = (input: unknown = REQUEST) => `CLERK_FILE ${JSON.stringify(input)}`
