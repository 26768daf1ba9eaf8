/** A valid document that uses every step type, for tests. */
export const SOUND = `apiVersion: gosuto/v1
metadata:
  name: clerk
  description: Files requests
trust:
  allowedRooms: ["!office:test", "!desk:test"]
  allowedSenders: ["*"]
  trustedPeers:
    - mxid: "@boss:test"
      roomId: "!office:test"
      alias: boss
      protocols: [clerk.file.v1]
limits:
  maxRequestsPerMinute: 0
  maxEventsPerMinute: 100
capabilities:
  - name: no-wiping
    mcp: book
    tool: wipe
    allow: false
  - name: notes
    mcp: book
    tool: "note*"
    allow: true
    constraints:
      text: { prefix: "filed " }
  - name: reads
    mcp: book
    tool: look
    allow: true
messaging:
  allowedTargets:
    - { roomId: "!office:test", alias: boss }
  maxMessagesPerMinute: 10
secrets:
  - { name: hook, envVar: CLERK_HOOK }
gateways:
  - name: nightly
    type: cron
    config: { schedule: "0 3 * * *", timezone: Europe/Berlin }
  - name: hooks
    type: webhook
    config: { auth: hmac-sha256, secret: hook }
workflow:
  schemas:
    request:
      type: object
      required: [run_id, titles]
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
      retries: 1
      steps:
        - id: parsed
          type: parse_input
          prompt: "Read the request"
          outputSchemaRef: request
        - type: branch
          when:
            - { field: input.run_id, op: ">", value: 100, goto: done }
          default: loop
        - id: loop
          type: for_each
          itemsExpr: "{{input.titles}}"
          itemVar: title
          maxIterations: 5
          steps:
            - type: tool
              tool: mcp.book.note
              argsTemplate: { text: "filed {{title}}" }
        - type: collect
          collectFrom: "{{steps.step_2}}"
        - id: told
          type: summarize
          prompt: "Say what was filed: {{output}}"
          outputSchemaRef: summary
          retries: 0
        - type: plan
          prompt: What next?
        - type: send_message
          targetAlias: boss
          payloadTemplate: "CLERK_DONE {{state.told | json}}"
        - id: done
          type: persist
          key: last
          value: { run: "{{input.run_id}}", at: "{{now}}" }
`
