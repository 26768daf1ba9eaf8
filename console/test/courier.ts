/** A workflow document for pages and pictures: it lists mail, posts a message that waits for a person, and stores the time. */
export const COURIER = (text: string): string => `apiVersion: gosuto/v1
metadata:
  name: courier
  description: Tells the operations channel what has come in
trust:
  allowedRooms: ["!office:example.org"]
  allowedSenders: ["@mara:example.org"]
capabilities:
  - { name: read, mcp: mail, tool: list, allow: true }
  - { name: post, mcp: chat, tool: post, allow: true, requireApproval: true }
workflow:
  protocols:
    - id: manual.v1
      trigger: { type: gateway.event }
      steps:
        - id: mail
          type: tool
          tool: mail__list
          argsTemplate: { folder: Invoices }
        - type: branch
          when: [{ field: state.mail, op: not_exists, goto: kept }]
        - id: told
          type: tool
          tool: chat__post
          argsTemplate: { channel: "#ops-status", text: ${JSON.stringify(text)} }
        - id: kept
          type: persist
          key: last
          value: "{{now}}"
`
